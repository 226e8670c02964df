import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type postgres from 'postgres';

/** Number of this release: the second part of its version. It grows by one with each release. */
export const release = 2;

/**
 * Table of the applied migrations, in the schema `drizzle`. Release 0.1.0 has `__drizzle_migrations` instead, and refuses
 * a database where that lists a migration which it does not know.
 */
export const migrationsTable = 'migrations';

const journalFile = createRequire(import.meta.url).resolve('@trunkline/db/migrations/meta/_journal.json');
export const migrationsFolder = join(dirname(journalFile), '..');

/** Returns when each migration of this release and of earlier ones was written, in milliseconds since 1970. */
export function knownMigrations(): readonly number[] {
  const journal: { entries: { when: number }[] } = JSON.parse(readFileSync(journalFile, 'utf8'));
  return journal.entries.map(({ when }) => when);
}

export interface AppliedMigrations {
  /** When the newest one was written, in milliseconds since 1970; 0 when there is none. */
  readonly newest: number;
  /** Number of the newest release that has applied one. */
  readonly release: number;
  /** Those that this release or an earlier one has applied, in milliseconds since 1970. */
  readonly former: readonly number[];
}

/** Reads what was applied, by releases since 0.1.0. */
export async function readApplied(client: postgres.ISql): Promise<AppliedMigrations> {
  const [tables] = await client<{ own: boolean; former: boolean }[]>`
    select to_regclass('drizzle.migrations') is not null as own,
      to_regclass('drizzle.__drizzle_migrations') is not null as former`;
  const [found] = tables?.own
    ? await client<AppliedMigrations[]>`select max(created_at)::float8 as newest, max(release) as release,
          coalesce(json_agg(created_at) filter (where release <= ${release}), '[]') as former
        from drizzle.migrations having count(*) > 0`
    : [];
  if (found) return found;
  const [former] = tables?.former
    ? await client<AppliedMigrations[]>`select max(created_at)::float8 as newest, 1 as release,
          json_agg(created_at) as former
        from drizzle.__drizzle_migrations having count(*) > 0`
    : [];
  return former ?? { newest: 0, release: 0, former: [] };
}

/** Makes the table for migrations that this release applies; what release 0.1.0 has applied is copied to it. */
export async function prepareMigrationsTable(client: postgres.Sql): Promise<void> {
  await client.begin(async (sql) => {
    await sql`create schema if not exists drizzle`;
    for (const table of ['__drizzle_migrations', migrationsTable]) {
      await sql`create table if not exists drizzle.${sql(table)}
        (id serial primary key, hash text not null, created_at bigint)`;
    }
    await sql`alter table drizzle.migrations add column if not exists release integer not null default 1`;
    await sql`insert into drizzle.migrations (hash, created_at)
      select hash, created_at from drizzle.__drizzle_migrations
        where not exists (select from drizzle.migrations) order by id`;
    await sql.unsafe(`alter table drizzle.migrations alter column release set default ${release}`);
  });
}
