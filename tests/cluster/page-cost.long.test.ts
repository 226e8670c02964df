import { randomUUID } from 'node:crypto';
import { openDatabase, pingDatabase, type OpenDatabase } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { forgetWithoutBytes } from '../../apps/vcs-worker/src/jobs/deleted/trash-store.ts';
import { inSnapshot } from '../../apps/vcs-worker/src/methods/read-list.ts';
import type { ClaimedOperation } from '../../apps/vcs-worker/src/jobs/operations/claimed-operation.ts';
import { listLocked } from '../../apps/vcs-worker/src/domain/repo/repository-lock-store.ts';
import { sizeOfGroup, sizeOfOwner } from '../../apps/vcs-worker/src/domain/repo/stored-size-store.ts';
import { createStoragePoller, type PollerTools } from '../../apps/vcs-worker/src/jobs/storage-jobs/storage-poller.ts';
import { verificationJob } from '../../apps/vcs-worker/src/jobs/storage-jobs/verification-job.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { explain } from '../harness/explain.ts';
import { byForm } from '../harness/long-form.ts';
import { chosenSeed } from '../harness/random.ts';
import {
  addDeleted,
  addGuest,
  addRepositories,
  sampleRights,
  readableByRule,
  setPublicLevel,
} from '../harness/repository-rows.ts';
import {
  costOfRead,
  lockedOf,
  longTables,
  planCacheModes,
  readableOf,
  readsOfLists,
  shownPermissions,
  userIdOf,
} from './list-reads.ts';

const limit = 50;
/** A page of 50, read with a few candidates more, takes about ten rows for each entry, however long the list is. */
const rowsMax = 800;
const [small, large] = [100, byForm(20_000, 100_000)];
let cluster: Cluster;
let database: OpenDatabase;
let sql: postgres.Sql;
const idOf = (username: string) => userIdOf(sql, username);

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 1 });
  database = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await addRepositories(sql, 1, 2);
  await addRepositories(sql, 3, small);
  await addGuest(sql);
  await addDeleted(sql, small);
  // The driver reads the types when it connects.
  await pingDatabase(database.db);
}, 60_000);
afterAll(async () => {
  await Promise.all([database.close(), sql.end()]);
  await cluster.stop();
});

const costOf = (read: () => Promise<readonly unknown[]>, modes?: readonly string[]) =>
  costOfRead(database.db, cluster.databaseUrl, read, modes);

async function expectBounded(read: () => Promise<readonly unknown[]>, count: number, rows = rowsMax): Promise<void> {
  const found = await costOf(read);
  expect(found.count).toBe(count);
  expect(found.cost.rows).toBeLessThanOrEqual(rows);
  expect(found.cost.scanned.filter((table) => longTables.includes(table))).toEqual([]);
}

type IdPage = Parameters<typeof readableOf>[2];
const readable = (userId: number, page: IdPage) => readableOf(database.db, userId, page);
const locked = (userId: number, holderId: number | null, page: IdPage) => lockedOf(database.db, userId, holderId, page);

const permissionsOf = (userId: number, callerId = userId) => shownPermissions(database.db, userId, callerId);

const pageOf = async (username: string, cursor: number | null) => {
  const id = await idOf(username);
  return () => readable(id, { limit, cursor });
};

it('the statements of a page of locks show nothing that was written after the first of them', async () => {
  const userId = await idOf('guest');
  const change = (description: string) => sql`update repositories set description = ${description} where name = 'r3'`;
  const pages = await inSnapshot(database.db, async (tx) => {
    const read = () => listLocked(tx, userId, null, { limit: 1, cursor: 2 });
    const before = await read();
    await change('written when it was hidden from the user');
    return [...before, ...(await read())];
  });
  await change('');
  const locked = { repository: { name: 'r3', description: '' } };
  expect(pages).toMatchObject([locked, locked]);
});

/** What may be read of many beyond what few take, whose small tables are read by index; and what no page may exceed. */
const [growthMax, manyMax] = [byForm(800, 1_000), rowsMax + 600];

type Costs = Readonly<Record<string, Awaited<ReturnType<typeof costOf>>>>;

async function costsOfAll(): Promise<Costs> {
  const costs: [string, Costs[string]][] = [];
  const reads = await readsOfLists(database.db, sql, limit);
  const modesOf = (name: string) => (name.startsWith('browse_') ? ['force_custom_plan'] : planCacheModes);
  for (const [name, read] of Object.entries(reads.ofAll)) costs.push([name, await costOf(read, modesOf(name))]);
  await setPublicLevel(sql, 0);
  for (const [name, read] of Object.entries(reads.ofGuest)) costs.push([name, await costOf(read)]);
  await setPublicLevel(sql, 1);
  return Object.fromEntries(costs);
}

describe(`a page of ${limit}`, () => {
  let ofFew: Costs;
  beforeAll(async () => {
    ofFew = await costsOfAll();
    await addRepositories(sql, small + 1, large);
    await addDeleted(sql, large);
  }, 60_000);

  it(`reads as many rows of ${large} repositories as of ${small}, and no table from end to end`, async () => {
    const ofMany = await costsOfAll();
    for (const [name, { count, cost }] of Object.entries(ofMany)) {
      const few = ofFew[name];
      const bound = Math.min((few?.cost.rows ?? 0) + growthMax, manyMax);
      expect(cost.rows, `${name}: ${few?.count} and ${count}`).toBeLessThanOrEqual(bound);
      const scanned = cost.scanned.filter((table) => longTables.includes(table));
      expect(scanned, name).toEqual([]);
    }
  });

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
    await setPublicLevel(sql, 0);
    try {
      await expectBounded(await pageOf('guest', null), 6);
      const id = await idOf('guest');
      await expectBounded(async () => Object.keys(await permissionsOf(id)), 6);
    } finally {
      await setPublicLevel(sql, 1);
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
    ['guest', 'guest', 2 * rowsMax + limit],
    ['admin', 'guest', rowsMax],
    ['admin', null, rowsMax],
  ])('of many locks that %s sees of %s reads what it shows', async (reader, holder, rows) => {
    const [readerId, guest] = [await idOf(reader), await idOf('guest')];
    await sql`update repositories set locked_at = now(), locked_by_id = ${guest} where id > ${large / 2}`;
    await sql`analyze`;
    const page = { limit, cursor: null };
    await expectBounded(() => locked(readerId, holder === null ? null : guest, page), limit, rows);
  });

  it('what is kept of deleted repositories of a storage is compared with its trash by an index', async () => {
    const [storage] = await sql<{ id: string; ids: string[] }[]>`select s.id, array_agg(operation_id::text) as ids
      from deleted_repositories d join storages s on s.id = storage_id where s.name = 'third' group by s.id`;
    const { id = '', ids = [] } = storage ?? {};
    expect(ids.length).toBeGreaterThan(large / 25);
    for (const mode of planCacheModes) {
      const read = () => forgetWithoutBytes(database.db, { id, trashedOperations: async () => ids });
      const { rows, scanned } = await explain(database.db, cluster.databaseUrl, mode, read);
      expect([rows <= ids.length + 1, scanned]).toEqual([true, []]);
    }
  });

  it('repositories that were not read for long are looked for once, not before each reading', async () => {
    const worker = randomUUID();
    await sql`update storages set swept_by = ${worker}, sweep_lease_until = now() + interval '1 hour'`;
    const [storage] = await sql<{ id: string }[]>`select id from storages where name = 'default'`;
    const [ended, begun] = [new AbortController(), new Set<number>()];
    const tools: PollerTools = {
      transactions: { runWithoutCall: (act) => database.db.transaction(act) },
      worker,
      engine: {
        begin: async (_tx, { repositoryId }) => {
          begun.add(repositoryId);
          // Nothing reads more of it.
          return {} as ClaimedOperation;
        },
        runOperations: async () => {
          if (begun.size === 20) ended.abort();
        },
      },
      logger: { warn: () => {} },
    };
    // With these days, all are old enough.
    const verify = createStoragePoller(tools, verificationJob(tools, { days: -1 }));
    const read = () => verify(storage?.id ?? '', ended.signal);
    const { rows } = await explain(database.db, cluster.databaseUrl, 'auto', read);
    expect(begun.size).toBe(20);
    expect(rows).toBeLessThanOrEqual(5 * large);
  });

  it('and the bytes of a group or an owner are read from their own repositories alone', async () => {
    await sql`insert into names (path, kind) select 'grouped/r' || n, 'repository' from generate_series(1, 30) n`;
    await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
        landing_rev, enable_downloads, enable_locking, enable_statistics, size_bytes)
      select gen_random_uuid(), 'grouped/r' || n, 'git', 'ready', (select id from storages where name = 'default'), 'grouped/' || n, false, '',
        (select id from users where username = 'reader'), 'tip', false, false, false, nullif(n, 30)
      from generate_series(1, 30) n`;
    await sql`analyze repositories`;
    const owner = await idOf('reader');
    for (const read of [() => sizeOfGroup(database.db, 'grouped'), () => sizeOfOwner(database.db, owner)]) {
      expect(await read()).toEqual({ repositories: 30, size_bytes: 435, size_unknown: 1 });
      // A plan for any owner assumes that each of the two owns half.
      const { rows, scanned } = await explain(database.db, cluster.databaseUrl, 'force_custom_plan', read);
      expect([rows <= 40, scanned]).toEqual([true, []]);
    }
    await sql`delete from repositories where name like 'grouped/%'`;
    await sql`delete from names where path like 'grouped/%'`;
  });
});

describe('pages and permissions', () => {
  const seed = chosenSeed();
  beforeAll(() => sampleRights(sql, seed), 60_000);

  it.each([
    ['guest', 'guest'],
    ['admin', 'guest'],
    ['admin', null],
    ['reader', null],
  ])('of the locks that %s sees of %s together show the readable ones', async (username, holder) => {
    const [reader, guest] = [await idOf(username), await idOf('guest')];
    const whole = await readableByRule(sql, reader);
    const locks = await sql<{ id: number }[]>`select id from repositories where locked_at is not null
      and (${holder}::text is null or locked_by_id = ${guest})`;
    const lockedIds = new Set(locks.map(({ id }) => id));
    const expected = whole.filter((id) => lockedIds.has(id));
    const found: number[] = [];
    for (const size of [40, 40, Math.round(large / 3), large]) {
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
      const whole = await readableByRule(sql, reader);
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
    const rows = await sql`select id, name from repositories`;
    const names = new Map(rows.map((row) => [Number(row['id']), String(row['name'])]));
    const shown = await permissionsOf(id);
    expect(Object.keys(shown), `seed ${seed}`).toEqual((await readableByRule(sql, id)).map((one) => names.get(one)));
    const all = await permissionsOf(id, await idOf('admin'));
    const some = Object.entries(all).filter(([, level]) => level !== 'repository.none');
    expect(some, `seed ${seed}`).toEqual(Object.entries(shown));
  });
});
