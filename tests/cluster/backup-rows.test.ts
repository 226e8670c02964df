import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  beginAttempt,
  createSecretVault,
  dumpTables,
  endArrival,
  extendAttempts,
  findKnownBackup,
  leaveOut,
  listPending,
  LoadRefusedError,
  loadTables,
  openDatabase,
  recordMadeBackup,
  releaseAttempt,
  RestoreUnfinishedError,
  type OpenDatabase,
} from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { readFormer } from '../../apps/trunklinectl/src/backup/former-backup.ts';
import { requireBackupsTable, whileTrashIsHeld } from '../../apps/trunklinectl/src/backup/while-trash-is-held.ts';
import { encodeManifest, manifestName } from '../../apps/trunklinectl/src/backup/manifest.ts';
import { mayHaveChanged } from '../../apps/vcs-worker/src/storage/snapshots/snapshot-source.ts';
import { addRepositories } from '../harness/repository-rows.ts';
import { copyTestDatabase } from '../harness/test-database.ts';

const backup = randomUUID();
let sql: postgres.Sql;
let database: OpenDatabase;
let url: string;

beforeAll(async () => {
  const { ownerUrl } = await copyTestDatabase(inject('postgresUrl'), `test_${randomBytes(6).toString('hex')}`);
  url = ownerUrl;
  sql = postgres(ownerUrl, { max: 1, onnotice: () => {} });
  database = openDatabase(ownerUrl, { connectionsMax: 1, name: 'test' });
  await sql`insert into storages (id, name) values (gen_random_uuid(), 'default')`;
  await sql`insert into users (username, username_key) values ('admin', 'admin'), ('default', 'default')`;
});
afterAll(() => Promise.all([sql.end(), database.close()]));

const idOf = async (name: string) => {
  const [row] = await sql<{ id: number }[]>`select id from repositories where name = ${name}`;
  return row?.id ?? 0;
};

it('is refused by a database with anything that a first start does not make', async () => {
  const [newest] = await sql<{ at: number }[]>`
    select max(created_at)::float8 as at from drizzle.migrations`;
  async function* rowsOf() {}
  const tables = [{ name: 'users', columns: ['id'] }];
  const load = () => loadTables(sql, { schema: newest?.at ?? 0, backup, tables, sequences: [], arriving: [], rowsOf });
  await sql`insert into user_ip_addresses (user_id, ip_addr) select id, '10.0.0.0/8' from users where username = 'admin'`;
  await expect(load()).rejects.toThrow(
    new LoadRefusedError('the database is in use: the table `user_ip_addresses` has rows'),
  );
  await sql`delete from user_ip_addresses`;
  await sql`insert into user_emails (user_id, email, email_key, is_primary)
    select u.id, n || '@localhost', n || '@localhost', false from users u, generate_series(1, 3) n where username = 'admin'`;
  await expect(load()).rejects.toThrow('the table `user_emails` has more than the first start makes');
  await sql`delete from user_emails`;
});

it('is refused with the schema of a release that records no backups', async () => {
  const refused = 'the schema of an earlier release, which records no backups: run `trunklinectl migrate`';
  await requireBackupsTable(sql);
  await sql`alter table backups rename to other`;
  try {
    await expect(requireBackupsTable(sql)).rejects.toThrow(refused);
    await expect(whileTrashIsHeld(url, async () => {})).rejects.toThrow(refused);
  } finally {
    await sql`alter table other rename to backups`;
  }
  await whileTrashIsHeld(url, async () => {});
});

it('knows the backups that were made of it, the newest thousand', async () => {
  await sql`insert into backups (id, kind, recorded_at)
    select gen_random_uuid(), 'made', now() - make_interval(days => n) from generate_series(1, 1000) n`;
  const restored = randomUUID();
  await sql`insert into backups (id, kind, recorded_at) values (${restored}, 'restored', now() - interval '9 years')`;
  await recordMadeBackup(sql, backup);
  expect(await sql`select from backups`).toHaveLength(1_000);
  expect(await findKnownBackup(sql, backup)).toBe('made');
  expect(await findKnownBackup(sql, restored)).toBe('restored');
  expect(await findKnownBackup(sql, randomUUID())).toBeNull();
});

it('lets files be kept of a backup that was made of it, and of no other', async () => {
  const id = randomUUID();
  const head = { epoch: 1, generation: 1, lastChangeset: null, defaultBranch: null, refs: '' };
  const tree = { head, files: [] };
  const row = {
    id: 1,
    name: 'r1',
    uuid: randomUUID(),
    type: 'git' as const,
    storage: 'default',
    epoch: 1,
    generation: 1,
  };
  const lists = { tables: [], sequences: [], secretIds: [], storages: [], missing: [] };
  const repositories = [{ ...row, ...tree, sizeBytes: null, damaged: false }];
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-former-'));
  const vault = createSecretVault('a'.repeat(64));
  const manifest = encodeManifest({ id, release: '0.2.0', takenAt: '', schema: 0, ...lists, repositories }, vault);
  await writeFile(join(directory, manifestName), manifest);
  const find = async (isFull: boolean) => (await readFormer(sql, directory, { isFull, vault })).findUnchanged(row);
  await expect(find(false)).rejects.toThrow('the database does not know the backup');
  await sql`insert into backups (id, kind) values (${id}, 'made')`;
  expect(await find(false)).toEqual(tree);
  expect(await find(true)).toBeNull();
  await sql`update backups set kind = 'restored' where id = ${id}`;
  expect(await find(false)).toBeNull();
  await rm(directory, { recursive: true });
});

it('counts what may repair a repository after an interrupted write, beside what writes to it', async () => {
  await addRepositories(sql, 1, 2);
  const [id, fork] = [await idOf('r1'), await idOf('r2')];
  const { db } = database;
  await sql`update operations set finished_at = now() - interval '1 day'`;
  const since = new Date(Date.now() - 60_000);
  const answers = async () => ({
    whole: await mayHaveChanged(db, id, { since, needsRecovery: false }),
    interrupted: await mayHaveChanged(db, id, { since, needsRecovery: true }),
  });
  const begin = (kind: string, source: number | null = null) => sql`
    insert into operations (id, kind, repository_id, source_repository_id, request, state, exclusive)
    values (gen_random_uuid(), ${kind}, ${source === null ? id : fork}, ${source}, '{}', 'running', false)`;
  const end = () => sql`delete from operations where state = 'running'`;
  expect(await answers()).toEqual({ whole: false, interrupted: false });
  for (const kind of ['verify', 'move']) {
    await begin(kind);
    expect(await answers()).toEqual({ whole: false, interrupted: true });
    await end();
  }
  await begin('fork', id);
  expect(await answers()).toEqual({ whole: false, interrupted: true });
  await end();
  await begin('push');
  expect(await answers()).toEqual({ whole: true, interrupted: true });
  await end();
});

beforeEach(() => sql`delete from operations where kind = 'arrive'`);

/** Hides a repository until its bytes arrive. */
async function hide(name: string): Promise<void> {
  await sql`update repositories set state = 'creating' where name = ${name}`;
  await sql`insert into operations (id, kind, repository_id, request, state, lease_until)
    select gen_random_uuid(), 'arrive', id, jsonb_build_object('backup', ${backup}::text), 'running', now()
    from repositories where name = ${name}`;
}

it('C7 an attempt that another one has followed extends, frees and ends nothing', async () => {
  await hide('r1');
  const [pending] = await listPending(sql, backup);
  if (!pending) throw new Error('nothing is pending');
  const { operationId, repositoryId } = pending;
  expect(await beginAttempt(sql, operationId)).toBe(1);
  expect(await beginAttempt(sql, operationId)).toBeNull();
  const leaseOf = async () =>
    (
      await sql<{ left: number }[]>`select extract(epoch from lease_until - clock_timestamp())::float8 as left
      from operations where id = ${operationId}`
    )[0]?.left ?? 0;
  await sql`update operations set lease_until = now() where id = ${operationId}`;
  expect(await beginAttempt(sql, operationId)).toBe(2);
  await releaseAttempt(sql, { operationId, attempt: 1 });
  expect(await leaseOf()).toBeGreaterThan(100);
  await sql`update operations set lease_until = now() + interval '10 seconds' where id = ${operationId}`;
  await extendAttempts(sql, [{ operationId, attempt: 1 }]);
  expect(await leaseOf()).toBeLessThan(11);
  await extendAttempts(sql, [{ operationId, attempt: 2 }]);
  expect(await leaseOf()).toBeGreaterThan(100);
  const arrived = { other: null, sizeBytes: 1, isDamaged: false };
  await expect(endArrival(sql, { operationId, repositoryId, attempt: 1 }, arrived)).rejects.toThrow('another process');
  await endArrival(sql, { operationId, repositoryId, attempt: 2 }, arrived);
  expect(await listPending(sql, backup)).toEqual([]);
});

it('is not dumped while repositories of a restore have not arrived', async () => {
  const dump = () =>
    dumpTables(sql, async (_table, rows) => {
      for await (const _row of rows);
    });
  await expect(dump()).resolves.toMatchObject({ tables: expect.any(Array) });
  await hide('r1');
  await expect(dump()).rejects.toThrow(new RestoreUnfinishedError('1 repositories of a restore have not arrived'));
  await sql`delete from operations where kind = 'arrive'`;
  await sql`update repositories set state = 'ready' where name = 'r1'`;
});

it('leaves a repository out that has not arrived, unless another process brings it', async () => {
  await hide('r2');
  const [pending] = await listPending(sql, backup);
  if (!pending) throw new Error('nothing is pending');
  const attempt = await beginAttempt(sql, pending.operationId);
  expect(await leaveOut(sql, pending)).toBe(false);
  await releaseAttempt(sql, { operationId: pending.operationId, attempt: attempt ?? 0 });
  expect(await leaveOut(sql, pending)).toBe(true);
  expect(await sql`select from repositories where name = 'r2'`).toHaveLength(0);
  expect(await sql`select from names where path = 'r2'`).toHaveLength(0);
});
