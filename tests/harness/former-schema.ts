import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';

const migrations = fileURLToPath(new URL('../../packages/db/migrations/', import.meta.url));

export interface Migration {
  readonly tag: string;
  /** When it was written, in milliseconds since 1970. */
  readonly when: number;
}

export async function listMigrations(): Promise<readonly Migration[]> {
  const journal: { entries: Migration[] } = JSON.parse(await readFile(`${migrations}meta/_journal.json`, 'utf8'));
  return journal.entries;
}

/** Applies migrations to an empty database as release 0.1.0 did. */
export async function createFormerSchema(sql: postgres.Sql, applied: readonly Migration[]): Promise<void> {
  await sql`create schema drizzle`;
  await sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  for (const { tag, when } of applied) {
    await sql.unsafe(await readFile(`${migrations}${tag}.sql`, 'utf8'));
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${tag}, ${when})`;
  }
}
