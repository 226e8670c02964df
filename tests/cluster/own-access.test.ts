import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

const shutOut = 'this would shut out the address `127.0.0.1` from which you call';

let cluster: Cluster;
let admins: Client[];
let sql: postgres.Sql;

beforeAll(async () => {
  const env = { TRUNKLINE_LOG_LEVEL: 'debug' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 1, env });
  admins = cluster.baseUrls.map((baseUrl) => createClient(baseUrl, cluster.adminKey));
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const admin = (): Client => {
  const [first] = admins;
  if (!first) throw new Error('no gateway');
  return first;
};

/** Creates a user; returns a client with the user's key for each gateway. */
async function makeClients(username: string): Promise<Client[]> {
  await admin().result('create_user', { username, email: `${username}@example.com` });
  const { api_key } = await admin().result<{ api_key: string }>('get_user', { userid: username });
  return cluster.baseUrls.map((baseUrl) => createClient(baseUrl, api_key));
}

const errorsOf = (clients: readonly Client[]) =>
  Promise.all(clients.map(async (client) => (await client.call('get_user')).error));

describe('addresses from which an administrator calls', () => {
  beforeEach(async () => {
    await sql`delete from user_ip_addresses`;
  });

  const networks = async () => {
    const rows = await sql<{ ip_addr: string }[]>`select ip_addr from user_ip_addresses order by id`;
    return rows.map(({ ip_addr }) => ip_addr);
  };

  it.each(['admin', 'default'])('B12 a network of %s without the caller’s address is refused', async (userid) => {
    for (const ip of ['10.0.0.0/8', '126.255.255.255', '2001:db8::/32']) {
      expect(await admin().error('add_user_ip', { userid, ip })).toBe(shutOut);
    }
    expect(await networks()).toEqual([]);
  });

  it.each([
    ['admin', 'admin'],
    ['admin', 'default'],
    ['default', 'admin'],
    ['default', 'default'],
  ])('B12 the network of %s that contains the caller’s address stays while %s has another', async (owner, another) => {
    await admin().result('add_user_ip', { userid: owner, ip: '127.0.0.0/8' });
    await admin().result('add_user_ip', { userid: another, ip: '10.0.0.0/8' });
    expect(await admin().error('remove_user_ip', { userid: owner, ip: '127.0.0.0/8' })).toBe(shutOut);
    expect(await networks()).toEqual(['127.0.0.0/8', '10.0.0.0/8']);
    await admin().result('remove_user_ip', { userid: another, ip: '10.0.0.0/8' });
    // A user without networks may call from any address.
    await admin().result('remove_user_ip', { userid: owner, ip: '127.0.0.0/8' });
  });

  it('B12 one of two concurrent removals that together would lock the caller out is refused', async () => {
    for (let round = 0; round < 10; round += 1) {
      for (const ip of ['127.0.0.1', '127.0.0.0/8', '10.0.0.0/8']) {
        await admin().result('add_user_ip', { userid: 'admin', ip });
      }
      const replies = await Promise.all(
        admins.map((client, at) =>
          client.call('remove_user_ip', { userid: 'admin', ip: at === 0 ? '127.0.0.1' : '127.0.0.0/8' }),
        ),
      );
      expect(replies.map(({ error }) => error).filter((error) => error !== null)).toEqual([shutOut]);
      await sql`delete from user_ip_addresses`;
    }
  });

  it('B12 a network for everybody applies at once at every gateway', async () => {
    const clients = await makeClients('ann');
    expect(await errorsOf(clients)).toEqual([null, null]);
    await admin().result('add_user_ip', { userid: 'admin', ip: '127.0.0.1' });
    await admin().result('add_user_ip', { userid: 'default', ip: '10.0.0.0/8' });
    expect(await errorsOf(clients)).toEqual(Array(2).fill('request from IP:127.0.0.1 not allowed'));
    expect(await errorsOf(admins)).toEqual([null, null]);
    await admin().result('remove_user_ip', { userid: 'default', ip: '10.0.0.0/8' });
    expect(await errorsOf(clients)).toEqual([null, null]);
  });
});

describe('keys', () => {
  it('B5 a revoked and a reset key are refused at once by every gateway', async () => {
    const clients = await makeClients('bob');
    const made = await admin().result<{ api_key: { api_key: string; api_key_id: number } }>('create_api_key', {
      userid: 'bob',
    });
    const further = cluster.baseUrls.map((baseUrl) => createClient(baseUrl, made.api_key.api_key));
    expect(await errorsOf([...clients, ...further])).toEqual([null, null, null, null]);

    await admin().result('revoke_api_key', { userid: 'bob', api_key_id: made.api_key.api_key_id });
    expect(await errorsOf(further)).toEqual(['Invalid API key', 'Invalid API key']);
    expect(await errorsOf(clients)).toEqual([null, null]);

    await clients[0]?.result('reset_api_key');
    expect(await errorsOf(clients)).toEqual(['Invalid API key', 'Invalid API key']);
    const { api_key } = await admin().result<{ api_key: string }>('get_user', { userid: 'bob' });
    const again = cluster.baseUrls.map((baseUrl) => createClient(baseUrl, api_key));
    expect(await errorsOf(again)).toEqual([null, null]);
  });

  it('B2 no key is in the log, which has the calls', async () => {
    const { api_key } = await admin().result<{ api_key: { api_key: string } }>('create_api_key');
    await createClient(cluster.baseUrl, api_key.api_key).result('get_user');
    await admin().result('reset_api_key', { userid: 'bob' });
    const logs = await eventually(cluster.logs, (text) => text.includes('reset_api_key'));
    for (const key of [api_key.api_key, cluster.adminKey]) expect(logs).not.toContain(key);
  });
});
