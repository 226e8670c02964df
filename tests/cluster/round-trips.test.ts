import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { countStatements, type StatementCounter } from '../harness/statement-counter.ts';

/** The first calls prepare statements; a sweep or a heartbeat may come in between. */
const callsEach = 12;

let cluster: Cluster;
let counter: StatementCounter;
let admin: Client;
let ann: Client;

beforeAll(async () => {
  const postgresUrl = inject('postgresUrl');
  counter = await countStatements(postgresUrl);
  cluster = await startCluster({ postgresUrl, gateways: 1, workers: 0, storages: ['second'] });
  const database = new URL(cluster.database.workerUrl);
  database.port = new URL(counter.url).port;
  await cluster.startWorker({
    TRUNKLINE_DATABASE_URL: database.href,
    TRUNKLINE_READ_CONNECTIONS: '1',
    TRUNKLINE_WRITE_CONNECTIONS: '1',
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  ann = createClient(cluster.baseUrl, api_key);
  await admin.result('create_repo', { repo_name: 'group/sub/first', repo_type: 'git' });
  const perm = 'group.write';
  for (const repogroupid of ['group', 'group/sub']) {
    await admin.result('grant_user_permission_to_repo_group', { repogroupid, userid: 'ann', perm });
  }
});

afterAll(async () => {
  await cluster.kill();
  await counter.close();
});

/** Returns the number of round trips to the database of the call that makes the fewest. */
async function roundTripsOf(call: (index: number) => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let index = 0; index < callsEach; index += 1) {
    const before = counter.roundTrips;
    await call(index);
    counts.push(counter.roundTrips - before);
  }
  return Math.min(...counts);
}

describe('a call in a worker that has made some before', () => {
  it.each([
    ['git', 'by-admin'],
    ['hg', 'by-admin'],
    ['git', 'group/sub/of-group'],
    ['hg', 'of-ann'],
    ['git', 'group/sub/of-ann'],
  ])('creates a repository of %s, `%s`, in two transactions of six round trips', async (repo_type, name) => {
    const client = name.endsWith('ann') ? ann : admin;
    const create = (index: number) =>
      client.result('create_repo', { repo_name: `${name}-${repo_type}-${index}`, repo_type });
    expect(await roundTripsOf(create)).toBeLessThanOrEqual(6);
  });

  it('reads the rights in one round trip, and the bytes, before it records in another one what it has read', async () => {
    expect(await roundTripsOf(() => admin.result('invalidate_cache', { repoid: 'group/sub/first' }))).toBe(2);
  });

  it('updates a repository in seven round trips', async () => {
    const update = (index: number) =>
      admin.result('update_repo', { repoid: 'group/sub/first', description: `described ${index}` });
    expect(await roundTripsOf(update)).toBeLessThanOrEqual(7);
  });
});
