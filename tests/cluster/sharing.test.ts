import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReplyEnvelope } from '@trunkline/contracts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';

let cluster: Cluster;
let admins: Client[];
let sql: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 2 });
  admins = cluster.baseUrls.map((baseUrl) => createClient(baseUrl, cluster.adminKey));
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const adminOf = (index: number): Client => {
  const client = admins[index % admins.length];
  if (!client) throw new Error('no gateway');
  return client;
};

async function callsOf(metricsUrl: string, operation: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const pattern = new RegExp(`^trunkline_calls_total\\{method="${operation}".*\\} (\\d+)$`, 'gm');
  return [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe('two gateways and two workers', () => {
  it('share a load: each gateway and each worker answers some of it', async () => {
    await Promise.all(Array.from({ length: 400 }, (_, index) => adminOf(index).result('test', { args: index })));
    const counts = await Promise.all(cluster.metricsUrls.map((url) => callsOf(url, 'test')));
    expect(counts).toHaveLength(4);
    for (const count of counts) expect(count).toBeGreaterThan(40);
  });

  it('E8 a worker stopped under load loses nothing: every write happened exactly once', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `rolling-${index}`);
    const replies: ReplyEnvelope[] = [];
    let stopped: Promise<void> | undefined;
    let next = 0;
    const create = async () => {
      for (let index = next++; index < names.length; index = next++) {
        if (index === names.length / 3) {
          await cluster.startWorker();
          stopped = cluster.workers[0]?.stop();
        }
        const args = { repo_name: names[index], repo_type: index % 2 ? 'git' : 'hg' };
        replies.push(await adminOf(index).call('create_repo', args));
      }
    };
    // Few at once: a slow machine, too, begins each of them before a call in a queue is answered "busy".
    await Promise.all(Array.from({ length: 6 }, create));
    await stopped;
    expect(replies.filter(({ error }) => error !== null)).toEqual([]);
    expect(replies).toHaveLength(names.length);
    const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
      select count(*)::int as count from repositories where name like 'rolling-%'`;
    expect(count).toBe(names.length);
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('B5 a revoked key, user or address is refused at once by every gateway', async () => {
    await adminOf(0).result('create_user', { username: 'leaver', email: 'leaver@example.com' });
    const { api_key, user_id } = await adminOf(0).result<{ api_key: string; user_id: number }>('get_user', {
      userid: 'leaver',
    });
    const leavers = cluster.baseUrls.map((baseUrl) => createClient(baseUrl, api_key));
    const everywhere = (method: string) => Promise.all(leavers.map((client) => client.call(method)));
    const errors = async () => (await everywhere('get_repos')).map(({ error }) => error);
    expect(await errors()).toEqual([null, null]);

    await sql`update users set active = false where id = ${user_id}`;
    expect(await errors()).toEqual(['Invalid API key', 'Invalid API key']);
    await sql`update users set active = true where id = ${user_id}`;
    expect(await errors()).toEqual([null, null]);

    await sql`insert into user_ip_addresses (user_id, ip_addr) values (${user_id}, '10.0.0.0/8')`;
    expect(await errors()).toEqual(Array(2).fill('request from IP:127.0.0.1 not allowed'));
    await sql`insert into user_ip_addresses (user_id, ip_addr) values (${user_id}, '127.0.0.0/8')`;
    expect(await errors()).toEqual([null, null]);

    await sql`update api_keys set expires_at = now() where user_id = ${user_id}`;
    expect(await errors()).toEqual(['Invalid API key', 'Invalid API key']);
    await sql`update api_keys set expires_at = null where user_id = ${user_id}`;
    expect(await errors()).toEqual([null, null]);

    await sql`delete from users where id = ${user_id}`;
    expect(await errors()).toEqual(['Invalid API key', 'Invalid API key']);
  });

  it('B11 one of the two last administrators who step down at once remains, and cannot step down', async () => {
    await adminOf(0).result('create_user', { username: 'second', email: 'second@example.com', admin: true });
    const { api_key } = await adminOf(0).result<{ api_key: string }>('get_user', { userid: 'second' });
    const second = createClient(cluster.baseUrl, api_key);
    const replies = await Promise.all([
      adminOf(1).call('update_user', { userid: 'admin', admin: false }),
      second.call('update_user', { userid: 'second', active: false }),
    ]);
    expect(replies.filter(({ error }) => error === null)).toHaveLength(1);
    const last = await sql<{ username: string; id: number }[]>`select username, id from users where admin and active`;
    expect(last).toHaveLength(1);
    const { username = '', id = 0 } = last[0] ?? {};
    const client = username === 'second' ? second : adminOf(0);
    for (const args of [{ admin: false }, { active: 'off' }]) {
      expect(await client.error('update_user', { userid: username, ...args })).toBe(
        `failed to update user \`${username}\``,
      );
    }
    expect(await client.error('delete_user', { userid: id })).toBe(`failed to delete user ID:${id} ${username}`);
    await sql`update users set admin = true, active = true where username = 'admin'`;
  });

  it('a revoked global permission is gone at once', async () => {
    await adminOf(0).result('create_user', { username: 'maker', email: 'maker@example.com' });
    const { api_key } = await adminOf(0).result<{ api_key: string }>('get_user', { userid: 'maker' });
    const makers = cluster.baseUrls.map((baseUrl) => createClient(baseUrl, api_key));
    await makers[0]?.result('create_repo', { repo_name: 'made' });
    await sql`delete from user_global_permissions where permission = 'hg.create.repository'`;
    for (const maker of makers) {
      expect(await maker.error('create_repo', { repo_name: 'more' })).toBe('Access was denied to this resource.');
    }
    await sql`insert into user_global_permissions select id, 'hg.create.repository' from users where username = 'maker'`;
    await makers[1]?.result('create_repo', { repo_name: 'more' });
  });

  it('a user who is not an administrator any more is refused at once', async () => {
    await adminOf(0).result('create_user', { username: 'demoted', email: 'demoted@example.com', admin: true });
    const { api_key } = await adminOf(0).result<{ api_key: string }>('get_user', { userid: 'demoted' });
    const demoted = createClient(cluster.baseUrl, api_key);
    await demoted.result('get_users');
    await sql`update users set admin = false where username = 'demoted'`;
    expect(await demoted.error('get_users')).toBe('Access was denied to this resource.');
  });
});
