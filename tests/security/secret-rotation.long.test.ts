import { randomBytes } from 'node:crypto';
import { createSecretVault, generateApiKey, openDatabase, requireKnownSecrets } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { createWebClient, type WebClient } from '../harness/web-client.ts';

const password = 'correct horse battery';
const account = '/_admin/my_account';
const cloneUri = 'https://robot:s3cret@example.com/copy';
const next = randomBytes(32).toString('hex');

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

/** Starts a cluster with its own secret for the tests of one block. */
function useCluster(): void {
  beforeAll(async () => {
    cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
    admin = createClient(cluster.baseUrl, cluster.adminKey);
    sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
    await admin.result('create_user', { username: 'ann', email: 'ann@example.com', password });
    await admin.result('create_repo', { repo_name: 'copy', repo_type: 'git' });
    await admin.result('update_repo', { repoid: 'copy', clone_uri: cloneUri });
    await admin.result('create_repo', { repo_name: 'deleted', repo_type: 'git' });
    await admin.result('update_repo', { repoid: 'deleted', clone_uri: cloneUri });
    await admin.result('delete_repo', { repoid: 'deleted' });
  });
  afterAll(async () => {
    await sql.end();
    await cluster.stop();
  });
}

const rowsOfOld = () => sql`select id from api_keys where secret_id = ${createSecretVault(cluster.secret).secretId}`;

interface Made {
  readonly api_key: { readonly api_key: string };
}

/** Creates a key, and returns it and the built-in key of the same user. */
async function keysOfAnn(): Promise<string[]> {
  const { api_key: further } = await admin.result<Made>('create_api_key', { userid: 'ann' });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  return [api_key, further.api_key];
}

/** Expects that keys, sealed values and sessions of any secret work at this gateway. */
async function expectAllAt(baseUrl: string, keys: readonly string[], web: WebClient | null): Promise<void> {
  for (const key of keys) expect(await createClient(baseUrl, key).call('get_user')).toMatchObject({ error: null });
  const shown = await createClient(baseUrl, cluster.adminKey).result('get_repo', { repoid: 'copy' });
  expect(shown).toMatchObject({ clone_uri: cloneUri });
  const status = web && (await web.get(`${baseUrl}${account}`)).status;
  expect(status ?? 200).toBe(200);
}

/** Requests a form from one gateway and sends it to another. */
async function submitAcross(web: WebClient, from: string, to: string): Promise<number> {
  const { text } = await web.get(`${from}${account}`);
  const [, token = ''] = /name="csrf_token" value="([^"]+)"/.exec(text) ?? [];
  const fields = { csrf_token: token, firstname: 'Ann', lastname: '', email: 'ann@example.com' };
  return (await web.post(`${to}${account}`, fields)).status;
}

describe('B2 another secret', { timeout: 180_000 }, () => {
  useCluster();

  it('comes into use while gateways and workers are restarted one by one; then the former one can be removed', async () => {
    const former = cluster.secret;
    const keys = await keysOfAnn();
    const web = createWebClient(cluster.baseUrl);
    await web.signIn('ann', password);

    const known = { TRUNKLINE_SECRET: former, TRUNKLINE_OLD_SECRETS: next };
    const [gateway, worker] = await Promise.all([cluster.startGateway(known), cluster.startWorker(known)]);
    await expectAllAt(cluster.baseUrl, keys, web);
    await Promise.all([cluster.gateways[0]?.stop(), cluster.workers[0]?.stop()]);
    await expectAllAt(gateway.baseUrl, keys, web);

    const swapped = { TRUNKLINE_SECRET: next, TRUNKLINE_OLD_SECRETS: `${'x'.repeat(32)}, ${former}` };
    const telling = { ...swapped, TRUNKLINE_LOG_LEVEL: 'info' };
    const [other] = await Promise.all([cluster.startGateway(swapped), cluster.startWorker(telling)]);
    const made = createClient(other.baseUrl, keys[0] ?? '');
    for (const baseUrl of [gateway.baseUrl, other.baseUrl]) {
      // Keys are created by a worker of either secret, and accepted by a gateway of either.
      for (let count = 0; count < 4; count += 1) {
        keys.push((await made.result<Made>('create_api_key')).api_key.api_key);
      }
      await expectAllAt(baseUrl, keys, web);
    }
    expect(await submitAcross(web, gateway.baseUrl, other.baseUrl)).toBe(303);
    expect(await submitAcross(web, other.baseUrl, gateway.baseUrl)).toBe(303);
    const late = createWebClient(other.baseUrl);
    await late.signIn('ann', password);
    await expectAllAt(gateway.baseUrl, keys, late);

    await Promise.all([gateway.stop(), worker.stop()]);
    await cluster.startWorker(telling);
    await eventually(rowsOfOld, (rows) => rows.length === 0);
    await expectAllAt(other.baseUrl, keys, web);
    const { secretId, open } = createSecretVault(next);
    const sealed = () => sql<{ uri: Buffer }[]>`select clone_uri_sealed as uri from repositories`;
    const isNew = ([row]: readonly { uri: Buffer }[]) => row !== undefined && reads(() => open(row.uri)) === cloneUri;
    await eventually(sealed, isNew);
    const logs = await eventually(cluster.logs, (text) => text.includes('are encrypted with the current secret'));
    expect(logs).toContain(`"secret":"${secretId}"`);
    expect(logs).not.toContain(former);
    expect(logs).not.toContain(next);

    const alone = { TRUNKLINE_SECRET: next };
    const [last] = await Promise.all([cluster.startGateway(alone), cluster.startWorker(alone)]);
    await other.stop();
    await expectAllAt(last.baseUrl, keys, late);
    const [deleted] = await sql<{ id: number }[]>`select repository_id as id from deleted_repositories`;
    await createClient(last.baseUrl, cluster.adminKey).result('restore_repo', { id: deleted?.id });
    const restored = await createClient(last.baseUrl, cluster.adminKey).result('get_repo', { repoid: 'deleted' });
    expect(restored).toMatchObject({ clone_uri: cloneUri });
    expect((await web.get(`${last.baseUrl}${account}`)).status).toBe(302);
  });
});

describe('B2 a secret', { timeout: 180_000 }, () => {
  useCluster();

  it('is refused at the start while the database holds data of a secret that is not configured', async () => {
    const refusal = /written under a secret that is neither TRUNKLINE_SECRET nor one of TRUNKLINE_OLD_SECRETS/;
    const wrong = { TRUNKLINE_SECRET: randomBytes(32).toString('hex'), TRUNKLINE_OLD_SECRETS: 'x'.repeat(32) };
    await Promise.all([
      expect(cluster.startGateway(wrong)).rejects.toThrow(refusal),
      expect(cluster.startWorker(wrong)).rejects.toThrow(refusal),
    ]);
    const both = { TRUNKLINE_SECRET: next, TRUNKLINE_OLD_SECRETS: cluster.secret };
    const sealed = createSecretVault(wrong.TRUNKLINE_SECRET).seal(cloneUri);
    const [kept] = await sql<{ uri: Buffer; secret: string }[]>`
      select clone_uri_sealed as uri, clone_uri_secret_id as secret from repositories`;
    const foreign = createSecretVault(wrong.TRUNKLINE_SECRET).secretId;
    // An early release has not stored the secret's id.
    for (const secret of [foreign, null]) {
      await sql`update repositories set clone_uri_sealed = ${sealed}, clone_uri_secret_id = ${secret}`;
      // Workers alone read remote passwords.
      await expect(cluster.startWorker(both)).rejects.toThrow(refusal);
    }
    // The id alone tells the secret: a start opens none of the sealed values.
    await sql`update repositories set clone_uri_secret_id = ${kept?.secret ?? null}`;
    const { db, close } = openDatabase(cluster.database.workerUrl, { connectionsMax: 1, name: 'test' });
    const vault = createSecretVault(next, [cluster.secret]);
    await requireKnownSecrets(db, vault);
    await sql`update deleted_repositories set clone_uri_secret_id = ${foreign}`;
    await expect(requireKnownSecrets(db, vault)).rejects.toThrow(refusal);
    await sql`update deleted_repositories set clone_uri_secret_id = ${kept?.secret ?? null}`;
    await close();
    await sql`update repositories set clone_uri_sealed = ${kept?.uri ?? null}, clone_uri_secret_id = null`;
    const worker = await cluster.startWorker();
    const secretIds = () => sql<{ id: string | null }[]>`select clone_uri_secret_id as id from repositories`;
    expect(await eventually(secretIds, ([row]) => row?.id !== null)).toEqual([{ id: kept?.secret }]);
    await worker.stop();
  });

  it('loses nothing when the worker that converts the data dies in the middle', async () => {
    const old = createSecretVault(cluster.secret);
    const vault = createSecretVault(next, [cluster.secret]);
    const keys = Array.from({ length: 250 }, generateApiKey);
    for (const key of keys) {
      await sql`insert into api_keys (user_id, mac, sealed, secret_id)
        select id, ${old.keyHmac(key)}, ${old.seal(key)}, ${old.secretId} from users where username = 'ann'`;
    }
    const expectEachFound = async () => {
      const rows = await sql<{ mac: Buffer; sealed: Buffer }[]>`select mac, sealed from api_keys`;
      const found = rows.map(({ mac, sealed }) => {
        const key = vault.open(sealed);
        return vault.keyHmacs(key).some((one) => one.equals(mac)) ? key : '';
      });
      expect(found).toEqual(expect.arrayContaining(keys));
      expect(found).not.toContain('');
    };
    const database = { sql, databaseUrl: cluster.databaseUrl };
    const hold = await holdUpdates(database, 'mac on api_keys', 'old.id = 130');

    const both = { TRUNKLINE_SECRET: next, TRUNKLINE_OLD_SECRETS: cluster.secret };
    const dying = await cluster.startWorker(both);
    await hold.reached();
    await dying.kill();
    await hold.release();
    const left = (await rowsOfOld()).length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(keys.length);
    await expectEachFound();

    await Promise.all([cluster.startWorker(both), cluster.startWorker(both)]);
    await eventually(rowsOfOld, (rows) => rows.length === 0);
    await expectEachFound();
    // This worker knows only the former secret.
    await cluster.workers[0]?.stop();
    const gateway = await cluster.startGateway({ TRUNKLINE_SECRET: next });
    for (const key of keys.filter((_, index) => index % 25 === 0)) {
      expect(await createClient(gateway.baseUrl, key).call('get_user')).toMatchObject({ error: null });
    }
  });
});

/** Returns the result of `read`; null when it throws. */
function reads<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
