import { randomUUID } from 'node:crypto';
import {
  inspectDatabase,
  LoadRefusedError,
  loadTables,
  migrate,
  prepareSchema,
  roleNames,
  UnreleasedSchemaError,
} from '@trunkline/db';
import { createDatabase, createOwnedDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { requireBackupsTable } from '../../apps/trunklinectl/src/backup/while-trash-is-held.ts';
import { createFormerSchema, listMigrations } from '../harness/former-schema.ts';
import { previousRelease } from '../harness/previous-release.ts';

/** The newest migration of some commits between 0.1.0 and 0.2.0, in milliseconds since 1970. */
const newestOfCommits = [1_795_431_626_155, 1_795_454_801_678, 1_795_470_300_000, 1_795_811_981_725];

const refusal = new UnreleasedSchemaError(
  'The database has the schema of a commit between the releases 0.1 and 0.2, from which nothing leads to release 0.2: ' +
    'use a database of release 0.1, or an empty one (docs/running/upgrading.md)',
);

const roles = { gateway: roleNames.gateway, worker: roleNames.worker };
let name: string;
let url: string;
let sql: postgres.Sql;
beforeEach(async () => {
  name = `test_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  url = await createDatabase(inject('postgresUrl'), name);
  sql = postgres(url, { max: 1, onnotice: () => {} });
});
afterEach(() => sql.end());

/** Makes a database as a commit left it that had other migrations than this release after those of 0.1.0. */
async function makeUnreleased(newest: number): Promise<void> {
  const all = await listMigrations();
  const former = all.slice(0, all.findIndex(({ tag }) => tag === previousRelease.lastMigration) + 1);
  await createFormerSchema(sql, former);
  await sql`create table drizzle.migrations
    (id serial primary key, hash text not null, created_at bigint, release integer not null default 2)`;
  await sql`insert into drizzle.migrations (hash, created_at, release)
    select hash, created_at, 1 from drizzle.__drizzle_migrations order by id`;
  const own = newestOfCommits.filter((when) => when <= newest);
  for (const when of own) await sql`insert into drizzle.migrations (hash, created_at) values ('a commit', ${when})`;
  await sql`create table backups (id uuid primary key, kind text not null)`;
  await sql`insert into users (username, username_key) values ('ann', 'ann')`;
}

/** Returns all rows of the tables, with the transactions that wrote them, and what the catalogue says of the database. */
async function dump(): Promise<readonly string[]> {
  const tables = await sql<{ name: string }[]>`select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'drizzle'::regnamespace) order by 1`;
  const contents = [
    ...tables.map((table) => `select t.ctid::text || t.xmin || t::text as row from ${table.name} t`),
    'select t.xmin || t.nspacl::text || t.nspowner as row from pg_namespace t where nspacl is not null',
    'select t.xmin || t.oid::text || t.proname as row from pg_proc t',
    `select t.xmin || t.oid::text || t.relname || t.relowner || t.relacl::text as row from pg_class t
      where t.relacl is not null and relname not like 'pg_temp%'`,
    'select t.xmin || t.attrelid::text || t.attname || t.attnum as row from pg_attribute t',
    'select t.xmin || t.objoid::text || t.description as row from pg_description t',
    'select t.xmin || t.datdba::text || t.datacl::text as row from pg_database t where datname = current_database()',
  ];
  const rows = await Promise.all(contents.map((content) => sql.unsafe<{ row: string }[]>(`${content} order by 1`)));
  return rows.flatMap((each, at) => each.map(({ row }) => `${at} ${row}`));
}

describe.each(newestOfCommits)('a database of a commit between releases, with the migration of %d', (newest) => {
  it('is refused by all that migrate, wait for a schema or restore, and stays as it is', async () => {
    await makeUnreleased(newest);
    const before = await dump();
    const access = { url, migrateUrl: null, tier: 'worker', roles } as const;
    await expect(migrate(url)).rejects.toThrow(refusal);
    await expect(prepareSchema(access, async () => {})).rejects.toThrow(refusal);
    await expect(requireBackupsTable(sql)).rejects.toThrow(refusal);
    const passwords = { owner: 'one', gateway: 'two', worker: 'three' };
    await expect(createOwnedDatabase(inject('postgresUrl'), name, passwords)).rejects.toThrow(refusal);
    expect(await inspectDatabase(url, roles)).toMatchObject({ schema: 'unreleased' });
    expect(await dump()).toEqual(before);
  });

  it('has made backups that are refused, before anything is written', async () => {
    await migrate(url);
    const before = await dump();
    const loaded = { schema: newest, backup: randomUUID(), tables: [], sequences: [], arriving: [] };
    const load = loadTables(sql, {
      ...loaded,
      rowsOf: () => {
        throw new Error('a row was read');
      },
    });
    await expect(load).rejects.toThrow(LoadRefusedError);
    await expect(load).rejects.toThrow(
      'it was made by a commit between two releases, from which nothing leads to this one',
    );
    expect(await dump()).toEqual(before);
  });
});

it('a database of release 0.1.0, and a backup of it, are refused for nothing of the kind', async () => {
  const all = await listMigrations();
  const last = all.find(({ tag }) => tag === previousRelease.lastMigration);
  await createFormerSchema(sql, all.slice(0, all.findIndex((one) => one === last) + 1));
  await migrate(url);
  const loaded = { schema: last?.when ?? 0, backup: randomUUID(), tables: [], sequences: [], arriving: [] };
  const load = loadTables(sql, { ...loaded, rowsOf: async function* () {} });
  await expect(load).rejects.toThrow('restore it with the release that made it, and upgrade then');
});
