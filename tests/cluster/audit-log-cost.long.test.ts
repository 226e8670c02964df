import { openDatabase, pingDatabase, type OpenDatabase } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listOwnActivity, listPublicActivity } from '../../apps/vcs-worker/src/domain/activity/activity-store.ts';
import { listAudit, type AuditFilter } from '../../apps/vcs-worker/src/domain/audit/audit-list-store.ts';
import { removeOldAudit } from '../../apps/vcs-worker/src/domain/audit/audit-store.ts';
import { listOperations } from '../../apps/vcs-worker/src/jobs/operations/operation-list-store.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { explain } from '../harness/explain.ts';
import { chosenSeed } from '../harness/random.ts';

const [rows, limit, starts] = [40_000, 50, 30];
/** The time of the newest entry; each entry was written a minute after the one before. */
const newest = Date.UTC(2026, 4, 16);
const minuteMs = 60_000;
const minutesAgo = (minutes: number) => new Date(newest - minutes * minuteMs);
const noFilter: AuditFilter = {
  actorId: null,
  method: null,
  outcome: null,
  from: null,
  until: null,
  limit,
  cursor: null,
};

let cluster: Cluster;
let database: OpenDatabase;
let sql: postgres.Sql;
const seed = chosenSeed();

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 1 });
  database = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await sql`select setseed(${seed / 2 ** 31})`;
  // The times lag behind the order of the ids by up to nine minutes. The oldest 20 entries are of a method of their
  // own; of the others every fourth is a pull that has failed, half of these in an operation.
  await sql`insert into audit_log (request_id, at, actor_id, actor, ip, method, args, outcome, repository_id)
    select gen_random_uuid(),
      ${new Date(newest)}::timestamptz - make_interval(mins => ${rows}::int - n) - random() * interval '9 minutes',
      n % 1000, 'somebody', '', case when n <= 20 then 'rare' when n % 4 = 0 then 'pull' else 'lock' end, '{}',
      case when n > 20 and n % 4 = 0 then 'failed' else 'succeeded' end, case when n % 8 <> 0 then 1 end
    from generate_series(1, ${rows}::int) n order by n`;
  await sql`insert into failed_starts (request_id, at, actor_id) select request_id, at, actor_id from audit_log
    where method = 'pull' and repository_id is null order by id limit ${starts}::int`;
  await sql`vacuum analyze`;
  // The driver reads the types when it connects.
  await pingDatabase(database.db);
}, 60_000);
afterAll(async () => {
  await Promise.all([database.close(), sql.end()]);
  await cluster.stop();
});

/** Expects `count` rows, for which `rowsMax` rows are read, whether or not Postgres plans for the values. */
async function expectCost(read: () => Promise<readonly unknown[]>, count: number, rowsMax: number): Promise<void> {
  expect(await read()).toHaveLength(count);
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const cost = await explain(database.db, cluster.databaseUrl, mode, read);
    expect(cost.scanned).not.toContain('audit_log');
    expect(cost.rows, mode).toBeLessThanOrEqual(rowsMax);
  }
}

it('the audit log has five indexes', async () => {
  expect(await sql`select indexname from pg_indexes where tablename = 'audit_log'`).toHaveLength(5);
});

describe('of a long audit log', () => {
  it.each<[string, Partial<AuditFilter>, number]>([
    ['without a filter', {}, limit],
    ['of a user', { actorId: 7 }, 40],
    ['of a rare method', { method: 'rare' }, 20],
    ['of a frequent method', { method: 'lock' }, limit],
    ['of a method and an outcome that is rare for it', { method: 'lock', outcome: 'failed' }, 0],
    ['of an outcome that no entry has', { outcome: 'running' }, 0],
    ['of an outcome', { outcome: 'failed' }, limit],
    ['of a time long ago', { from: minutesAgo(30_020), until: minutesAgo(30_000) }, Number.NaN],
    ['of a method and a time', { method: 'lock', from: minutesAgo(30_020), until: minutesAgo(30_000) }, Number.NaN],
    ['before any entry', { until: minutesAgo(2 * rows) }, 0],
    ['after all entries', { from: minutesAgo(-60) }, 0],
    ['before a cursor', { cursor: 20_000 }, limit],
  ])('a page of entries %s reads few others', async (_name, filter, expected) => {
    const read = () => listAudit(database.db, { ...noFilter, ...filter });
    const count = Number.isNaN(expected) ? (await read()).length : expected;
    await expectCost(read, count, 400);
  });

  it('list_operations reads the calls that began no operation, and none of the others that failed', async () => {
    const filter = { state: null, actorId: null, limit, cursor: null };
    await expectCost(() => listOperations(database.db, { id: 1, admin: true }, filter), starts, 3 * starts);
    const own = await sql<{ id: number }[]>`select actor_id as id from failed_starts limit 1`;
    const caller = { id: own[0]?.id ?? 0, admin: false };
    const listed = await listOperations(database.db, caller, filter);
    expect(listed.length).toBeGreaterThan(0);
    await expectCost(() => listOperations(database.db, caller, filter), listed.length, 3 * starts);
  });
});

it('F8 D2 a page of activity reads few entries of the audit log, however few of them are shown', async () => {
  // No entry is of a repository that exists.
  for (const user of [
    { id: 7, admin: false },
    { id: 7, admin: true },
  ]) {
    await expectCost(() => listPublicActivity(database.db, { user, limit, cursor: null }), 0, 10_500);
    await expectCost(() => listOwnActivity(database.db, { user, limit, cursor: null }), 0, 1_500);
  }
});

describe('a page of activity on followed repositories', () => {
  const [repositories, pushes] = [500, 20];
  const followers = { few: 150, many: repositories, none: 0 } as const;
  const idOf = async (username: keyof typeof followers) => {
    const [row] = await sql<{ id: number }[]>`select id from users where username = ${username}`;
    return row?.id ?? 0;
  };
  const read = (id: number, cursor: number | null = null) =>
    listOwnActivity(database.db, { user: { id, admin: false }, limit, cursor });

  beforeAll(async () => {
    // The first one has the 35,000 entries about it that the log has by then, none of which is shown.
    await sql`insert into names (path, kind) select 'r' || n, 'repository' from generate_series(1, ${repositories}::int) n`;
    await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
        landing_rev, enable_downloads, enable_locking, enable_statistics)
      select gen_random_uuid(), 'r' || n, 'git', 'ready', (select id from storages), 'made/' || n, false, '',
        (select min(id) from users), 'tip', false, false, false from generate_series(1, ${repositories}::int) n order by n`;
    await sql`insert into user_repository_permissions (user_id, repository_id, level)
      select u.id, r.id, 1 from users u, repositories r where username = 'default'`;
    await sql`insert into users (username, username_key) select name, name from unnest(${Object.keys(followers)}::text[]) name`;
    for (const [username, count] of Object.entries(followers)) {
      await sql`insert into followers (user_id, repository_id) select u.id, r.id from users u, repositories r
        where username = ${username} and r.id <= ${count}`;
    }
    const addFetches = (from: number, to: number) => sql`
      insert into client_fetches (id, period, actor_id, actor, repository_id, count)
      select nextval(pg_get_serial_sequence('audit_log', 'id')), turn, 1, 'somebody', r.id, 1
      from generate_series(${from}::int, ${to}::int) turn, repositories r where r.id % 5 = 0 order by turn, r.id`;
    await addFetches(1, 30);
    await sql`insert into audit_log (request_id, actor_id, actor, ip, method, args, outcome, repository_id)
      select gen_random_uuid(), 1, 'somebody', '', case when turn % 2 = 0 then 'push' else 'lock' end, '{}', 'succeeded', r.id
      from generate_series(1, ${2 * pushes}::int) turn, repositories r where r.id > 1 order by turn, r.id`;
    await addFetches(31, 31);
    await sql`vacuum analyze`;
  }, 60_000);

  it.each(['few', 'many'] as const)('of %s shows the newest entries, page by page', async (username) => {
    const id = await idOf(username);
    const expected = await sql<{ id: string }[]>`
      select id from audit_log where method = 'push' and repository_id <= ${followers[username]}
      union all select id from client_fetches where repository_id <= ${followers[username]} order by 1 desc limit 200`;
    const found: number[] = [];
    while (found.length < expected.length) {
      const page = await read(id, found.at(-1) ?? null);
      expect(page).toHaveLength(limit);
      found.push(...page.map((row) => row.id));
    }
    expect(found).toEqual(expected.map((row) => Number(row.id)));
  });

  it('F8 D2 reads few entries, however many repositories the user follows, and however few entries are shown', async () => {
    const [few, many] = [await idOf('few'), await idOf('many')];
    await expectCost(() => read(few), limit, 12_500);
    await expectCost(() => read(many), limit, 4_000);
    // None of the newest 10,000 entries is shown.
    await sql`insert into audit_log (request_id, actor_id, actor, ip, method, args, outcome, repository_id)
      select gen_random_uuid(), 1, 'somebody', '', 'lock', '{}', 'succeeded', 1 + n % ${repositories}::int
      from generate_series(1, 10000) n`;
    await sql`delete from client_fetches`;
    await sql`vacuum analyze`;
    await expectCost(() => read(few), limit, 12_500);
    await expectCost(() => read(many), 0, 12_500);
    await expectCost(async () => read(await idOf('none')), 0, 1_500);
  });
});

it('a page by time has the entries of that time, although their ids are not in that order', async () => {
  for (let minutes = 1_000; minutes < 20_000; minutes += 1_111) {
    const [from, until] = [minutesAgo(minutes + 60), minutesAgo(minutes)];
    const expected = await sql`select id::int from audit_log where at >= ${from} and at <= ${until} order by id desc`;
    const page = await listAudit(database.db, { ...noFilter, from, until, limit: 10_000 });
    expect(
      page.map(({ id }) => id),
      `seed ${seed}`,
    ).toEqual(expected.map((row) => Number(row['id'])));
    expect(page.length).toBeGreaterThan(0);
  }
});

it('retention removes old entries with their failed starts, and none that are newer', async () => {
  await sql`update audit_log set at = at + (now() - ${new Date(newest)}::timestamptz)`;
  await sql`create table before as select id, at, now() as then from audit_log`;
  const first = await removeOldAudit(database.db, 20, { from: null, rowsMax: 1_000 });
  expect(first).toEqual({ rows: 1_000, last: 1_000 });
  await removeOldAudit(database.db, 20, { from: first.last, rowsMax: rows });
  const removed = sql`select at from before where id not in (select id from audit_log)`;
  expect(await sql`select 1 from (${removed}) removed where at >= now() - interval '20 days'`).toEqual([]);
  // Entries stay for the ten minutes by which times may lag, and for the nine by which they do.
  expect(
    await sql`select 1 from audit_log join before using (id)
      where before.at < before.then - interval '20 days' - interval '20 minutes'`,
  ).toEqual([]);
  expect(await sql`select 1 from failed_starts where request_id not in (select request_id from audit_log)`).toEqual([]);
});
