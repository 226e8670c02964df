import { createSecretVault } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeSessionToken } from '../../apps/gateway/src/authn/sessions.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { openEndpoints, password, type Endpoints } from '../harness/endpoints.ts';
import { createWebClient } from '../harness/web-client.ts';

let cluster: Cluster;
let endpoints: Endpoints;
/** Connected with the role of a gateway. */
let gateway: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  endpoints = await openEndpoints(cluster);
  gateway = postgres(cluster.database.gatewayUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await gateway.end();
  await endpoints.close();
  await cluster.stop();
});

const dayMs = 86_400_000;
const administration = '/_admin/users';

interface Row {
  readonly id: number;
  readonly mac: Buffer;
}

/** Signs a user in; returns the row of the session, as the role of a gateway reads it, and what the browser gets. */
async function enter(more: Record<string, unknown> = {}) {
  const { username, userId } = await endpoints.makeUser(more);
  const browser = createWebClient(cluster.baseUrl);
  await browser.signIn(username, password);
  const [row] = await gateway<Row[]>`select id, mac from sessions where user_id = ${userId}`;
  if (!row) throw new Error('the user has not signed in');
  const statusOf = async (path: string) => (await browser.get(path)).status;
  return { userId, row, browser, statusOf };
}

const insert = (sql: postgres.ISql, userId: number, mac: Buffer) =>
  sql`insert into sessions (user_id, mac, expires_at, ip) values (${userId}, ${mac}, now() + interval '1 hour', '')`;

describe('with the role of a gateway in the database', () => {
  it.each<[string, (own: Row, adminId: number, adminRow: Row) => Promise<unknown>]>([
    [
      'the row is written anew',
      (own, adminId) =>
        gateway.begin(async (tx) => {
          await tx`delete from sessions where id = ${own.id}`;
          await insert(tx, adminId, own.mac);
        }),
    ],
    [
      'the row is written anew with the id and the times of a session of the administrator',
      (own, adminId, { id }) =>
        gateway.begin(async (tx) => {
          const [former] = await tx`delete from sessions where id = ${id} returning created_at, expires_at`;
          await tx`delete from sessions where id = ${own.id}`;
          await tx`insert into sessions (id, user_id, mac, created_at, expires_at, ip) overriding system value
            values (${id}, ${adminId}, ${own.mac}, ${former?.['created_at']}, ${former?.['expires_at']}, '')`;
        }),
    ],
  ])('E16 nobody becomes another user when %s', async (_, forge) => {
    const [ann, admin] = [await enter(), await enter({ admin: true })];
    expect([await ann.statusOf(administration), await admin.statusOf(administration)]).toEqual([403, 200]);
    await forge(ann.row, admin.userId, admin.row);
    expect((await ann.browser.get(administration)).headers.get('location')).toMatch(/^\/_admin\/login/);
  });

  it('E16 no row is given to another user, or another time, by an update', async () => {
    const [ann, admin] = [await enter(), await enter({ admin: true })];
    const given = gateway`update sessions set user_id = ${admin.userId} where id = ${ann.row.id}`;
    await expect(given.execute()).rejects.toMatchObject({ code: '42501' });
    const since = gateway`update sessions set created_at = now() where id = ${ann.row.id}`;
    await expect(since.execute()).rejects.toMatchObject({ code: '42501' });
  });

  it('E16 nobody is signed in as the user whose row is replaced by one of another', async () => {
    const [ann, victim] = [await enter(), await enter()];
    await gateway`delete from sessions where id = ${victim.row.id}`;
    await insert(gateway, ann.userId, victim.row.mac);
    expect(await victim.statusOf('/_admin/my_account')).toBe(302);
    expect(await ann.statusOf('/_admin/my_account')).toBe(200);
  });

  it('E16 no session lasts longer than fourteen days from the sign-in', async () => {
    const { userId } = await endpoints.makeUser();
    const vault = createSecretVault(cluster.secret);
    const findOf = async (days: number) => {
      const token = makeSessionToken({ userId, signedInAt: Date.now() - days * dayMs });
      await insert(gateway, userId, vault.hmac('session lookup', token));
      return endpoints.sessions.findSession(token);
    };
    expect(await findOf(13.9)).toMatchObject({ userId });
    expect(await findOf(14.1)).toBeNull();
  });

  it('E16 a session of release 0.1.0, whose token does not tell whose it is, is not accepted', async () => {
    const { userId } = await endpoints.makeUser();
    const token = 'a'.repeat(43);
    await insert(gateway, userId, createSecretVault(cluster.secret).hmac('session lookup', token));
    expect(await endpoints.sessions.findSession(token)).toBeNull();
  });
});
