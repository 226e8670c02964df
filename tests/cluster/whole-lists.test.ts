import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openDatabase } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findOnDisk } from '../../apps/vcs-worker/src/storage/consistency/find-on-disk.ts';
import { listReadable } from '../../apps/vcs-worker/src/domain/repo/readable-repositories-store.ts';
import { pageRows } from '../../apps/vcs-worker/src/methods/read-list.ts';
import { openStorage } from '../../apps/vcs-worker/src/storage/storage.ts';
import { askingViews } from '../harness/ask-view.ts';
import { post } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { logLines, type LogLine } from '../harness/log-lines.ts';
import { exchange } from '../harness/raw-http.ts';

const count = 2_400;
const descriptionChars = 400;
/** Smaller than a page. */
const maxPayloadBytes = 64 * 1024;

let cluster: Cluster;
let sql: postgres.Sql;
let bus: Awaited<ReturnType<typeof askingViews>>;

/** Adds users with a key each; the text makes a page longer than a message. */
async function addUsers(): Promise<void> {
  await sql`insert into users (username, username_key, firstname, admin)
    select 'u' || n, 'u' || n, repeat('ä"', 200), n = 1 from generate_series(1, ${count}::int) n`;
  await sql`insert into user_emails (user_id, email, email_key, is_primary)
    select id, username || '@localhost', username || '@localhost', true from users where username ~ '^u[0-9]'`;
  await sql`insert into api_keys (user_id, builtin, mac, sealed, secret_id)
    select u.id, true, decode(md5(u.username), 'hex'), k.sealed, k.secret_id
    from users u, (select * from api_keys where builtin limit 1) k where u.username ~ '^u[0-9]'`;
  // The last page of the user groups is full.
  await sql`insert into user_groups (name, name_key, owner_id)
    select 'group' || n, 'group' || n, (select min(id) from users where admin)
    from generate_series(1, ${3 * pageRows}::int) n`;
}

/** Adds public repositories without bytes. */
async function addRepositories(): Promise<void> {
  await sql`insert into names (path, kind) select 'r' || n, 'repository' from generate_series(1, ${count}::int) n`;
  await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics)
    select gen_random_uuid(), 'r' || n, 'git', 'ready', (select id from storages), 'r' || n, false,
      repeat('ä"', ${descriptionChars / 2}::int), (select min(id) from users where admin), 'tip', false, false, false
    from generate_series(1, ${count}::int) n order by n`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u.id, r.id, 1 from repositories r, users u where u.username = 'default'`;
}

beforeAll(async () => {
  const env = { TRUNKLINE_LOG_LEVEL: 'info' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, maxPayloadBytes, env });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await addUsers();
  await addRepositories();
  await sql`analyze`;
  bus = await askingViews(cluster);
}, 60_000);
afterAll(async () => {
  await bus.close();
  await sql.end();
  await cluster.kill();
});

const callOf = (method: string, args: object = {}) =>
  JSON.stringify({ id: 'X', api_key: cluster.adminKey, method, args });

/** Returns the answer to a client of HTTP/1.0, which knows no chunks: the end of the connection ends it. */
async function inOnePiece(call: string) {
  const head = `POST /_admin/api HTTP/1.0\r\nHost: a\r\nContent-Length: ${call.length}\r\n\r\n`;
  const [answer] = await exchange(cluster.baseUrl, { pieces: [`${head}${call}`], answers: 1 });
  return { coding: answer?.headers.get('transfer-encoding'), text: answer?.body.toString() };
}

describe('a list of more than one page', () => {
  it.each<[string, { limit?: number }, number]>([
    ['get_users', {}, count],
    ['get_user_groups', {}, count],
    ['get_repos', {}, count],
    ['get_repos', { limit: pageRows + 1 }, pageRows + 1],
  ])(
    'of %s with %j has the bytes of the list in one piece, as clients of HTTP/1.0 get it',
    async (method, args, least) => {
      const call = callOf(method, args);
      const whole = await inOnePiece(call);
      const { headers, text } = await post(cluster.baseUrl, call);
      expect(whole.coding).toBeUndefined();
      expect(headers.get('content-length')).toBeNull();
      expect(headers.get('transfer-encoding')).toBe('chunked');
      const { length } = JSON.parse(text).result;
      expect(length).toBeGreaterThanOrEqual(least);
      expect(length).toBeLessThanOrEqual(args.limit ?? Infinity);
      expect(text === whole.text).toBe(true);
    },
  );

  it('of one page or less is sent in one piece', async () => {
    await sql`delete from user_groups where name_key = 'group1' or id not in (
      select id from user_groups order by id limit ${pageRows}::int)`;
    for (const args of [{}, { limit: pageRows }]) {
      const { headers } = await post(cluster.baseUrl, callOf('get_user_groups', args));
      expect(Number(headers.get('content-length'))).toBeGreaterThan(0);
    }
  });
});

describe('the pages of a whole list', () => {
  /** Begins an answer, of which the worker has read the first page and sends nothing before somebody takes it. */
  async function begin(username: string, method: 'get_users' | 'get_repos', requestId?: string) {
    const take = await bus.open(username, method, {}, requestId);
    return async (): Promise<unknown[]> => {
      const payload = await take();
      if (payload instanceof Uint8Array) throw new Error('the answer is whole');
      return JSON.parse((await buffer(payload.stream)).toString());
    };
  }

  /** Returns the code of the worker's one log line for a call. */
  async function codeOf(requestId: string): Promise<unknown> {
    const ofCall = (line: LogLine) => line['requestId'] === requestId && line['msg'] === 'call';
    const lines = await logLines(cluster, ofCall, 1);
    expect(lines).toHaveLength(1);
    return lines[0]?.['code'];
  }

  it('are read one by one, as the list is taken', async () => {
    const requestId = randomUUID();
    const readAll = await begin('admin', 'get_users', requestId);
    await sql`update users set lastname = 'changed'`;
    const users = (await readAll()) as { lastname: string | null }[];
    expect(users.length).toBeGreaterThanOrEqual(count);
    expect(users.map(({ lastname }) => lastname === 'changed')).toEqual(users.map((_user, at) => at >= pageRows));
    expect(await codeOf(requestId)).toBe('ok');
  });

  it('show no repository that was hidden before they were read', async () => {
    const readAll = await begin('u2', 'get_repos');
    await sql`update repositories set private = true where id % 2 = 0`;
    const ids = ((await readAll()) as { repo_id: number }[]).map(({ repo_id: id }) => id);
    expect(ids.slice(0, pageRows).some((id) => id % 2 === 0)).toBe(true);
    expect(ids.slice(pageRows).some((id) => id % 2 === 0)).toBe(false);
    expect(ids).toHaveLength(pageRows + (count - pageRows) / 2);
  });

  it('are not sent any more to a caller who has lost the right to the list', async () => {
    const requestId = randomUUID();
    const readAll = await begin('u1', 'get_users', requestId);
    await sql`update users set admin = false where username = 'u1'`;
    await expect(readAll()).rejects.toMatchObject({ reason: 'cut' });
    expect(await codeOf(requestId)).toBe('forbidden');
  });
});

it('a page of repositories ends with the one whose texts reach its limit, and the next one goes on after it', async () => {
  const { db, close } = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  const [row] = await sql<{ id: number }[]>`select id from users where username = 'admin'`;
  const read = (page: { limit: number; cursor: number | null }) =>
    listReadable(db, row?.id ?? 0, page, 10 * descriptionChars);
  const whole = await listReadable(db, row?.id ?? 0, { limit: 50, cursor: null }, 2 ** 30);
  const [first, second] = [
    await read({ limit: 50, cursor: null }),
    await read({ limit: 7, cursor: whole.rows[9]?.id ?? 0 }),
  ];
  await close();
  expect([first, second].map(({ rows, isEnd }) => [rows.length, isEnd])).toEqual([
    [10, false],
    [7, false],
  ]);
  expect([...first.rows, ...second.rows]).toEqual(whole.rows.slice(0, 17));
});

it('the rows of all repositories are compared with the directories, page by page', async () => {
  const { db, close } = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  const [row] = await sql<{ id: string }[]>`select id from storages`;
  const storage = await openStorage({ root: cluster.storageRoot, id: row?.id ?? '', name: 'default' });
  const look = async () => {
    const all = await findOnDisk({
      db,
      storage,
      now: new Date(),
      trashDays: 7,
      wakeSweepers: () => {},
      signal: AbortSignal.timeout(600_000),
    });
    return new Set(all.map(({ path }) => path));
  };
  const uuid = randomUUID();
  const planted = `@repos/${uuid.slice(0, 2)}/${uuid}`;
  await mkdir(join(cluster.storageRoot, planted), { recursive: true });
  await sql`delete from repositories`;
  expect(await look()).toEqual(new Set([planted]));
  await sql`insert into names (path, kind) select 's' || n, 'repository' from generate_series(1, 2500) n`;
  await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics)
    select gen_random_uuid(), 's' || n, 'git', case n when 2499 then 'ready' else 'creating' end, (select id from storages),
      case n when 2500 then ${planted} else 'lost/' || n end, false, '', (select id from users where username = 'admin'),
      'tip', false, false, false from generate_series(1, 2500) n order by n`;
  expect(await look()).toEqual(new Set(['lost/2499']));
  await close();
});
