import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, post, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { mannWhitneyPValue } from '../harness/mann-whitney.ts';

const Reply = v.object({ error: v.nullable(v.string()) });

let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 2,
    workers: 2,
    env: { TRUNKLINE_TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_repo', { repo_name: 'hidden', private: true });
});
afterAll(() => cluster.stop());

let addresses = 0;
/** Returns an address from which no call has failed yet. */
function freshAddress(): string {
  addresses += 1;
  return `10.1.${addresses >> 8}.${addresses & 255}`;
}

/** Returns the error of a call with this key; null when the call succeeds. */
async function errorAt(baseUrl: string, apiKey: string, ip: string, method = 'get_user'): Promise<string | null> {
  const args = method === 'get_repo' ? { repoid: 'hidden' } : {};
  const body = JSON.stringify({ id: 1, api_key: apiKey, method, args });
  const { text } = await post(baseUrl, body, { 'X-Forwarded-For': ip });
  return v.parse(Reply, JSON.parse(text)).error;
}

let users = 0;
async function makeUser(): Promise<{ username: string; apiKey: string }> {
  users += 1;
  const username = `user-${users}`;
  await admin.result('create_user', { username, email: `${username}@example.com` });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: username });
  await admin.result('grant_user_permission', { repoid: 'hidden', userid: username, perm: 'repository.read' });
  return { username, apiKey: api_key };
}

const invalid = 'Invalid API key';
const changes: [what: string, change: (userid: string) => Promise<unknown>, expected: string, method?: string][] = [
  ['reset', (userid) => admin.result('reset_api_key', { userid }), invalid],
  ['of a user who is deactivated', (userid) => admin.result('update_user', { userid, active: false }), invalid],
  ['of a user who is deleted', (userid) => admin.result('delete_user', { userid }), invalid],
  [
    'whose addresses are restricted',
    (userid) => admin.result('add_user_ip', { userid, ip: '192.0.2.0/24' }),
    'request from IP:<ip> not allowed',
  ],
  [
    'of a user who loses a right',
    (userid) => admin.result('revoke_user_permission', { repoid: 'hidden', userid }),
    'repository `hidden` does not exist',
    'get_repo',
  ],
];

describe('B5 a key', () => {
  it.each(changes)(
    '%s is refused for every call that begins after the reply to that change',
    async (_, change, expected, method) => {
      const { username, apiKey } = await makeUser();
      const ip = freshAddress();
      const calls: { readonly begun: number; readonly error: string | null }[] = [];
      const state = { isGoing: true };
      const callOnAndOn = async (baseUrl: string) => {
        while (state.isGoing) {
          const begun = performance.now();
          calls.push({ begun, error: await errorAt(baseUrl, apiKey, ip, method) });
        }
      };
      const clients = [...cluster.baseUrls, ...cluster.baseUrls, ...cluster.baseUrls].map(callOnAndOn);
      const succeeded = async () => calls.filter(({ error }) => error === null).length;
      await eventually(succeeded, (count) => count >= 30);
      await change(username);
      const answered = performance.now();
      const after = async () => calls.filter(({ begun }) => begun > answered);
      await eventually(after, ({ length }) => length >= 60);
      state.isGoing = false;
      await Promise.all(clients);
      expect(new Set((await after()).map(({ error }) => error))).toEqual(new Set([expected.replace('<ip>', ip)]));
    },
  );

  it('is accepted at once by every gateway when it was created, and refused when it was revoked', async () => {
    const { username } = await makeUser();
    for (let count = 0; count < 10; count += 1) {
      const ip = freshAddress();
      const everywhere = (apiKey: string) =>
        Promise.all(cluster.baseUrls.map((baseUrl) => errorAt(baseUrl, apiKey, ip)));
      const { api_key: made } = await admin.result<{ api_key: { api_key: string; api_key_id: number } }>(
        'create_api_key',
        { userid: username },
      );
      expect(await everywhere(made.api_key)).toEqual([null, null]);
      await admin.result('revoke_api_key', { userid: username, api_key_id: made.api_key_id });
      expect(await everywhere(made.api_key)).toEqual([invalid, invalid]);
    }
  });

  it('that was refused is accepted at once by every gateway when the reason has gone', async () => {
    const { username, apiKey } = await makeUser();
    const ip = freshAddress();
    const everywhere = () => Promise.all(cluster.baseUrls.map((baseUrl) => errorAt(baseUrl, apiKey, ip)));
    for (let count = 0; count < 5; count += 1) {
      await admin.result('update_user', { userid: username, active: false });
      expect(await everywhere()).toEqual([invalid, invalid]);
      await admin.result('update_user', { userid: username, active: true });
      expect(await everywhere()).toEqual([null, null]);
    }
  });
});

it('B3 a key that begins like a real one is refused as fast as any other', async () => {
  const { apiKey } = await makeUser();
  const random = (digits: number) => randomBytes(20).toString('hex').slice(0, digits);
  const timeOf = async (sent: string) => {
    const ip = freshAddress();
    const begun = performance.now();
    expect(await errorAt(cluster.baseUrl, sent, ip)).toBe(invalid);
    return performance.now() - begun;
  };
  const likelihood = async () => {
    const [near, far]: [number[], number[]] = [[], []];
    for (let count = 0; count < 250; count += 1) {
      near.push(await timeOf(apiKey.slice(0, 36) + random(4)));
      far.push(await timeOf(random(40)));
    }
    return mannWhitneyPValue(near, far);
  };
  // A correct service fails this check by chance in one of a million runs.
  await eventually(likelihood, (value) => value > 0.01, 40);
});

it('B13 calls are answered while passwords are hashed', async () => {
  const pending = { count: 50 };
  const creations = Array.from({ length: pending.count }, async (_, index) => {
    const username = `new-${randomBytes(6).toString('hex')}`;
    const person = { username, email: `${username}@example.com`, password: 'correct horse' };
    await createClient(cluster.baseUrls[index % 2] ?? '', cluster.adminKey).result('create_user', person);
    pending.count -= 1;
  });
  let answered = 0;
  // Calls of one address take turns under load.
  const ip = freshAddress();
  const asking = async () => {
    while (pending.count > 0) {
      expect(await errorAt(cluster.baseUrl, cluster.adminKey, ip)).toBeNull();
      if (pending.count > 0) answered += 1;
    }
  };
  await Promise.all([...creations, asking()]);
  expect(answered).toBeGreaterThan(10);
});
