import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { countStatements, type StatementCounter } from '../harness/statement-counter.ts';

/** The first calls prepare statements; a sweep or a heartbeat may come in between. */
const callsEach = 12;
const requestsEach = 6;

let cluster: Cluster;
let counter: StatementCounter;
/** Counts what the gateway sends. */
let ofGateway: StatementCounter;
let baseUrl = '';
let admin: Client;
let ann: Client;
let sql: postgres.Sql;

beforeAll(async () => {
  const postgresUrl = inject('postgresUrl');
  counter = await countStatements(postgresUrl);
  ofGateway = await countStatements(postgresUrl);
  cluster = await startCluster({ postgresUrl, gateways: 0, workers: 0, storages: ['second'] });
  const through = (url: string, { url: proxy }: StatementCounter) =>
    Object.assign(new URL(url), { port: new URL(proxy).port }).href;
  const gateway = cluster.startGateway({ TRUNKLINE_DATABASE_URL: through(cluster.database.gatewayUrl, ofGateway) });
  await cluster.startWorker({
    TRUNKLINE_DATABASE_URL: through(cluster.database.workerUrl, counter),
    TRUNKLINE_READ_CONNECTIONS: '1',
    TRUNKLINE_WRITE_CONNECTIONS: '1',
  });
  ({ baseUrl } = await gateway);
  admin = createClient(baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  ann = createClient(baseUrl, api_key);
  await admin.result('create_repo', { repo_name: 'group/sub/first', repo_type: 'git' });
  const perm = 'group.write';
  for (const repogroupid of ['group', 'group/sub']) {
    await admin.result('grant_user_permission_to_repo_group', { repogroupid, userid: 'ann', perm });
  }
});

afterAll(async () => {
  await sql.end();
  await cluster.kill();
  await Promise.all([counter.close(), ofGateway.close()]);
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
  ])('creates a repository of %s, `%s`, in two transactions of seven round trips', async (repo_type, name) => {
    const client = name.endsWith('ann') ? ann : admin;
    const create = (index: number) =>
      client.result('create_repo', { repo_name: `${name}-${repo_type}-${index}`, repo_type });
    expect(await roundTripsOf(create)).toBeLessThanOrEqual(7);
  });

  it('reads the rights in one round trip, and the bytes, before it records in five more what it has read', async () => {
    expect(await roundTripsOf(() => admin.result('invalidate_cache', { repoid: 'group/sub/first' }))).toBe(6);
  });

  it('reads a user with all permissions in one round trip', async () => {
    expect(await roundTripsOf(() => admin.result('get_user', { userid: 'ann' }))).toBe(1);
  });

  it('reads the rights, and a page of repositories with the rights on each, in a round trip each', async () => {
    expect(await roundTripsOf(() => admin.result('get_repos'))).toBe(2);
  });

  it('updates a repository in six round trips', async () => {
    const update = (index: number) =>
      admin.result('update_repo', { repoid: 'group/sub/first', description: `described ${index}` });
    expect(await roundTripsOf(update)).toBeLessThanOrEqual(6);
  });
});

/** Adds forks without bytes, which a deletion does not miss. */
async function addForks(of: string, count: number): Promise<void> {
  await sql`insert into names (path, kind) select ${of} || '-' || n, 'repository' from generate_series(1, ${count}::int) n`;
  await sql`
    insert into repositories (name, uuid, type, state, storage_id, storage_path, owner_id, landing_rev, private, description,
      enable_downloads, enable_locking, enable_statistics, fork_of_id)
    select name || '-' || n, gen_random_uuid(), type, state, storage_id, storage_path || '-' || n, owner_id, landing_rev,
      private, description, enable_downloads, enable_locking, enable_statistics, id
    from repositories cross join generate_series(1, ${count}::int) n where name = ${of}`;
}

it('a repository with thirty forks is deleted in transactions hardly longer than those of one with three', async () => {
  const lengths: number[] = [];
  for (const [at, count] of [3, 30].entries()) {
    const name = `family-${at}`;
    await admin.result('create_repo', { repo_name: name, repo_type: 'git' });
    await addForks(name, count);
    counter.forget();
    await admin.result('delete_repo', { repoid: name, forks: 'delete' });
    lengths.push(counter.longestTransaction);
    expect(await sql`select 1 from repositories where name like ${`${name}%`}`).toHaveLength(0);
  }
  const [few = 0, many] = lengths;
  // A sweep may come in between.
  expect(many).toBeLessThan(few + 10);
});

/** Returns what is in each list, as often as it is there. A sweep can last as long as all of some requests. */
function inEach(lists: readonly (readonly string[])[]): string[] {
  const timesIn = (list: readonly string[], text: string) => list.filter((one) => one === text).length;
  return [...new Set(lists.flat())].toSorted().flatMap((text) => {
    const times = Math.min(...lists.map((list) => timesIn(list, text)));
    return Array.from({ length: times }, () => text);
  });
}

describe('B10 a request of a client of git about a repository that its user may not read', () => {
  const asked: readonly (readonly [method: string, service: string, body: string | null])[] = [
    ['GET', 'info/refs?service=git-upload-pack', null],
    ['POST', 'git-upload-pack', '0000'],
    ['GET', 'info/refs?service=git-receive-pack', null],
    ['POST', 'git-receive-pack', '0000'],
  ];

  beforeAll(async () => {
    await admin.result('create_repo', { repo_name: 'hidden', repo_type: 'git', private: true, storage: 'second' });
    await admin.result('create_repo', { repo_name: 'mercurial', repo_type: 'hg', storage: 'default' });
  });

  /** The time, the id of the request, and what depends on whether the request had arrived whole when it was answered. */
  const changing = ['date', 'x-request-id', 'connection', 'keep-alive'];

  /** Returns what a client gets, byte for byte but for these headers. */
  async function answerTo(
    name: string,
    [method, service, body]: [string, string, string | null],
    login: string | null,
  ) {
    const headers = {
      ...(login !== null && { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
      ...(body !== null && { 'content-type': `application/x-${service}-request` }),
    };
    const response = await fetch(`${baseUrl}/${name}/${service}`, { method, headers, ...(body && { body }) });
    const own = [...response.headers].filter(([key]) => !changing.includes(key));
    return { status: response.status, headers: own, bytes: Buffer.from(await response.arrayBuffer()).toString('hex') };
  }

  /** Returns the answer to some requests, and the statements of gateway and worker that each of them takes. */
  async function measure(name: string, of: [string, string, string | null], login: string | null) {
    const answers: unknown[] = [];
    const ofTiers = { gateway: [] as string[][], worker: [] as string[][] };
    for (let index = 0; index < requestsEach; index += 1) {
      const before = { gateway: ofGateway.statements, worker: counter.statements };
      answers.push(await answerTo(name, of, login));
      ofTiers.gateway.push(ofGateway.texts.slice(before.gateway));
      ofTiers.worker.push(counter.texts.slice(before.worker));
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    return { answer: answers[0], gateway: inEach(ofTiers.gateway), worker: inEach(ofTiers.worker) };
  }

  it.each(asked)('%s %s: same bytes after the same statements as about none', async (...of) => {
    for (const [login, status] of [[`ann:${ann.apiKey}`, 404] as const, [null, 401] as const]) {
      const hidden = await measure('hidden', of, login);
      const missing = await measure('missing', of, login);
      expect(missing).toMatchObject({ answer: { status } });
      expect(missing.worker).toHaveLength(login === null ? 0 : 1);
      expect(hidden).toEqual(missing);
      // Who may read it, as everybody with a key may, is told the system of the repository.
      const ofHg = await answerTo('mercurial', of, login);
      expect(ofHg.status).toBe(login === null ? 401 : 409);
    }
  });
});
