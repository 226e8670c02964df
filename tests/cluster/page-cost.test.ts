import { openDatabase, pingDatabase, type OpenDatabase } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { inSnapshot } from '../../apps/vcs-worker/src/lists/in-snapshot.ts';
import { listLocked } from '../../apps/vcs-worker/src/repo/lock-list-store.ts';
import { readableCandidates, readPage, type IdPage } from '../../apps/vcs-worker/src/repo/readable-page-store.ts';
import { listReadable, repositoriesOfPage } from '../../apps/vcs-worker/src/repo/repository-store.ts';
import { sizeOfGroup, sizeOfOwner } from '../../apps/vcs-worker/src/repo/stored-size-store.ts';
import { repositoryPermissions } from '../../apps/vcs-worker/src/user/repository-permission-store.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { explain, type Cost } from '../harness/explain.ts';
import { chosenSeed } from '../harness/random.ts';

const limit = 50;
const planCacheModes = ['force_custom_plan', 'force_generic_plan'] as const;
/** A page of 50, read with a few candidates more, takes about ten rows for each entry, however long the list is. */
const rowsMax = 800;
const [small, large] = [100, 20_000];

let cluster: Cluster;
let database: OpenDatabase;
let sql: postgres.Sql;

/** Adds repositories without bytes, `from` to `to`: every third is hidden from everybody, and so is the first half. */
async function addRepositories(from: number, to: number): Promise<void> {
  await sql`insert into names (path, kind) select 'r' || n, 'repository' from generate_series(${from}::int, ${to}::int) n`;
  await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics)
    select gen_random_uuid(), 'r' || n, 'git', 'ready', (select id from storages), 'made/' || n,
      n < ${to / 2} or n % 3 = 0, '', (select id from users where username = 'admin'), 'tip', false, false, false
    from generate_series(${from}::int, ${to}::int) n order by n`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u.id, r.id, case when private then 0 else 1 end from repositories r, users u where u.username = 'default'
    on conflict do nothing`;
  await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
    select g.id, r.id, 1 from user_groups g, repositories r where g.name = 'others'
    on conflict do nothing`;
  await sql`analyze`;
}

/** Adds a user who owns two hidden repositories, and may read two by own rows and two by a group. */
async function addGuest(): Promise<void> {
  await sql`insert into users (username, username_key) values ('reader', 'reader'), ('guest', 'guest')`;
  await sql`insert into user_groups (name, name_key, owner_id)
    select name, name, min(id) from users, (values ('team'), ('others')) made (name) group by name`;
  await sql`insert into user_group_members (user_id, user_group_id) select u.id, g.id from users u, user_groups g
    where username = 'guest' and g.name = 'team'`;
  await sql`update repositories set owner_id = (select id from users where username = 'guest')
    where name in ('r3', 'r66')`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select u.id, r.id, 3 from users u, repositories r where username = 'guest' and r.name in ('r6', 'r69')`;
  await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
    select g.id, r.id, 1 from user_groups g, repositories r where g.name = 'team' and r.name in ('r9', 'r99')`;
  await sql`update repositories set locked_at = now(), locked_by_id = u.id from users u
    where username = 'guest' and repositories.name in ('r3', 'r9', 'r99') or username = 'admin' and repositories.name = 'r50'`;
}

async function idOf(username: string): Promise<number> {
  const [row] = await sql`select id from users where username = ${username}`;
  return Number(row?.['id']);
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 1 });
  database = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await addRepositories(1, small);
  await addGuest();
  // The driver reads the types when it connects.
  await pingDatabase(database.db);
}, 60_000);
afterAll(async () => {
  await Promise.all([database.close(), sql.end()]);
  await cluster.stop();
});

/** Reads a page and its cost: that of the costlier plan. */
async function costOf<Row>(
  read: () => Promise<readonly Row[]>,
): Promise<{ count: number; cost: Omit<Cost, 'indexes'> }> {
  const costs: Cost[] = [];
  let count = 0;
  for (const mode of planCacheModes) {
    costs.push(await explain(database.db, cluster.databaseUrl, mode, async () => (count = (await read()).length)));
  }
  const scanned = costs.flatMap((one) => one.scanned);
  return { count, cost: { rows: Math.max(...costs.map(({ rows }) => rows)), scanned } };
}

/** Tables that have as many rows as there are repositories, or more. */
const longTables = ['repositories', 'user_repository_permissions', 'user_group_repository_permissions'];

async function expectBounded(read: () => Promise<readonly unknown[]>, count: number, rows = rowsMax): Promise<void> {
  const found = await costOf(read);
  expect(found.count).toBe(count);
  expect(found.cost.rows).toBeLessThanOrEqual(rows);
  expect(found.cost.scanned.filter((table) => longTables.includes(table))).toEqual([]);
}

const readable = (userId: number, page: IdPage) => inSnapshot(database.db, (tx) => listReadable(tx, userId, page));
const locked = (userId: number, holderId: number | null, page: IdPage) =>
  inSnapshot(database.db, (tx) => listLocked(tx, userId, holderId, page));

/** Returns the ids of all repositories that a user may read: the rule for one repository, applied to each. */
async function readableByRule(userId: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`select r.id from repositories r join users u on u.id = ${userId}
    where r.state = 'ready' and case when u.admin or r.owner_id = u.id then 4 else coalesce(
      (select p.level from user_repository_permissions p
        where p.repository_id = r.id and p.user_id = u.id and u.username <> 'default'),
      (select max(p.level) from user_group_repository_permissions p join user_groups g on g.id = p.user_group_id
        join user_group_members m on m.user_group_id = g.id and m.user_id = u.id
        where p.repository_id = r.id and g.active),
      (select case when r.private then 0 else p.level end from user_repository_permissions p join users d on d.id = p.user_id
        where p.repository_id = r.id and d.username = 'default'), 0) end >= 1
    order by r.id`;
  return rows.map(({ id }) => id);
}

const pageOf = async (username: string, cursor: number | null) => {
  const id = await idOf(username);
  return () => readable(id, { limit, cursor });
};

it('rows of a page show nothing that was written after their rights were read', async () => {
  const userId = await idOf('guest');
  const change = (description: string) => sql`update repositories set description = ${description} where name = 'r3'`;
  const page = await inSnapshot(database.db, (tx) =>
    readPage(tx, readableCandidates, { userId }, { limit: 1, cursor: null }, async (ids) => {
      await change('written when it was hidden from the user');
      return repositoriesOfPage(tx).execute({ userId, ids });
    }),
  );
  await change('');
  expect(page).toMatchObject([{ name: 'r3', description: '' }]);
});

describe(`a page of ${limit}`, () => {
  beforeAll(() => addRepositories(small + 1, large), 60_000);

  it.each(['admin', 'reader', 'guest'])(
    'of %s reads what it shows, at the beginning and deep in the list',
    async (username) => {
      for (const cursor of [null, 15_000]) await expectBounded(await pageOf(username, cursor), limit);
    },
  );

  it('that ends the list reads only the rest', async () => {
    const page = await pageOf('admin', large - 10);
    await expectBounded(page, 10);
  });

  it('of a user who may read few repositories of many reads those alone', async () => {
    const setLevel = async (level: number) => {
      await sql`update user_repository_permissions set level = ${level} from repositories r
        where r.id = repository_id and not r.private and user_id = (select id from users where username = 'default')`;
      await sql`analyze`;
    };
    await setLevel(0);
    try {
      await expectBounded(await pageOf('guest', null), 6);
      const id = await idOf('guest');
      const permissions = () => repositoryPermissions(database.db, { id, admin: false }, { withNone: false });
      await expectBounded(async () => Object.keys(JSON.parse(await permissions())), 6);
    } finally {
      await setLevel(1);
    }
  });

  it.each([
    ['guest', 'guest', 3],
    ['admin', 'guest', 3],
    ['admin', null, 4],
  ])('of the locks that %s sees of %s reads locked repositories alone', async (reader, holder, count) => {
    const [readerId, guest] = [await idOf(reader), await idOf('guest')];
    const page = { limit, cursor: null };
    await expectBounded(() => locked(readerId, holder === null ? null : guest, page), count);
  });

  it.each([
    // Every third of them is hidden from the holder, so that a second statement follows.
    ['guest', 'guest', 2 * rowsMax],
    ['admin', 'guest', rowsMax],
    ['admin', null, rowsMax],
  ])('of many locks that %s sees of %s reads what it shows', async (reader, holder, rows) => {
    const [readerId, guest] = [await idOf(reader), await idOf('guest')];
    await sql`update repositories set locked_at = now(), locked_by_id = ${guest} where id > ${large / 2}`;
    await sql`analyze`;
    const page = { limit, cursor: null };
    await expectBounded(() => locked(readerId, holder === null ? null : guest, page), limit, rows);
  });

  it('and the bytes of a group or an owner are read from their own repositories alone', async () => {
    await sql`insert into names (path, kind) select 'grouped/r' || n, 'repository' from generate_series(1, 30) n`;
    await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
        landing_rev, enable_downloads, enable_locking, enable_statistics, size_bytes)
      select gen_random_uuid(), 'grouped/r' || n, 'git', 'ready', (select id from storages), 'grouped/' || n, false, '',
        (select id from users where username = 'reader'), 'tip', false, false, false, nullif(n, 30)
      from generate_series(1, 30) n`;
    await sql`analyze repositories`;
    const reader = await idOf('reader');
    for (const read of [() => sizeOfGroup(database.db, 'grouped'), () => sizeOfOwner(database.db, reader)]) {
      expect(await read()).toEqual({ repositories: 30, size_bytes: 435, size_unknown: 1 });
      await expectBounded(async () => [await read()], 1, 40);
    }
    await sql`delete from repositories where name like 'grouped/%'`;
    await sql`delete from names where path like 'grouped/%'`;
  });
});

describe('pages and permissions', () => {
  /** Draws states, locks and rights for a part of the repositories. */
  async function drawRights(seed: number): Promise<void> {
    await sql`select setseed(${seed / 2 ** 31})`;
    await sql`update repositories set private = random() < 0.5, owner_id = case when random() < 0.05
        then (select id from users where username = 'guest') else owner_id end,
      locked_by_id = u.id, locked_at = case when random() < 0.2 then now() end,
      state = case when random() < 0.1 then 'deleting' when random() < 0.1 then 'creating' else 'ready' end
      from (select id from users where username in ('guest', 'admin')) u where repositories.id < 4000`;
    await sql`insert into user_groups (name, name_key, owner_id, active) select 'off', 'off', min(id), false from users`;
    await sql`insert into user_group_members (user_id, user_group_id) select u.id, g.id from users u, user_groups g
      where username = 'guest' and g.name = 'off'`;
    await sql`delete from user_repository_permissions where repository_id < 4000`;
    await sql`insert into user_repository_permissions (user_id, repository_id, level)
      select u.id, r.id, (array[0, 1, 3, 4])[1 + floor(random() * 4)::int] from users u, repositories r
      where r.id < 4000 and (username = 'guest' and random() < 0.3 or username = 'default' and random() < 0.9)`;
    await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
      select g.id, r.id, (array[0, 1, 3, 4])[1 + floor(random() * 4)::int] from user_groups g, repositories r
      where g.name <> 'others' and r.id between 100 and 4000 and random() < 0.3`;
  }

  const seed = chosenSeed();
  beforeAll(() => drawRights(seed), 60_000);

  it.each([
    ['guest', 'guest'],
    ['admin', 'guest'],
    ['admin', null],
    ['reader', null],
  ])('of the locks that %s sees of %s together show the readable ones', async (username, holder) => {
    const [reader, guest] = [await idOf(username), await idOf('guest')];
    const whole = await readableByRule(reader);
    const locks = await sql<{ id: number }[]>`select id from repositories where locked_at is not null
      and (${holder}::text is null or locked_by_id = ${guest})`;
    const lockedIds = new Set(locks.map(({ id }) => id));
    const expected = whole.filter((id) => lockedIds.has(id));
    const found: number[] = [];
    for (const size of [40, 40, 7_000, 10_000]) {
      const page = { limit: size, cursor: found.at(-1) ?? null };
      const rows = await locked(reader, holder === null ? null : guest, page);
      expect(rows.length).toBe(Math.min(size, expected.length - found.length));
      found.push(...rows.map(({ repository }) => repository.id));
    }
    expect(found, `seed ${seed}`).toEqual(expected);
  });

  it.each(['guest', 'reader', 'default', 'admin'])(
    'together show what the whole list of %s shows',
    async (username) => {
      const reader = await idOf(username);
      const whole = await readableByRule(reader);
      for (const size of [1, 37, 3_000]) {
        const list = whole.slice(0, size * 30);
        for (let from = 0; from < list.length; from += size) {
          const cursor = list[from - 1] ?? null;
          const page = (await readable(reader, { limit: size, cursor })).map(({ id }) => id);
          expect(page, `seed ${seed}, ${size} after ${cursor}`).toEqual(list.slice(from, from + size));
        }
      }
    },
  );

  it.each([
    ['guest', true],
    ['reader', true],
    ['admin', true],
    // Level none everywhere: so few are left that they are read one by one.
    ['guest', false],
    ['reader', false],
  ])('of %s are those by the rule for one repository (public ones: %s)', async (username, isPublic) => {
    const ofDefault = sql`user_id = (select id from users where username = 'default')`;
    await sql.begin(async (tx) => {
      if (!isPublic) await tx`delete from user_repository_permissions where ${ofDefault}`;
      await tx`analyze user_repository_permissions`;
    });
    const id = await idOf(username);
    const user = { id, admin: username === 'admin' };
    const rows = await sql`select id, name from repositories`;
    const names = new Map(rows.map((row) => [Number(row['id']), String(row['name'])]));
    const shown = JSON.parse(await repositoryPermissions(database.db, user, { withNone: false }));
    expect(Object.keys(shown), `seed ${seed}`).toEqual((await readableByRule(id)).map((one) => names.get(one)));
    const all = JSON.parse(await repositoryPermissions(database.db, user, { withNone: true }));
    const some = Object.entries(all).filter(([, level]) => level !== 'repository.none');
    expect(some, `seed ${seed}`).toEqual(Object.entries(shown));
  });
});
