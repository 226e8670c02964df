import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { migrationsTable, prepareMigrationsTable, readApplied, release } from './applied-migrations.ts';
import { hasNoConnectionLeft } from './pg-error.ts';

const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));
/** Key of the advisory lock that a process holds while it migrates. */
const lockKey = 7_236_401;
/** The oldest Postgres that this release was tested with. */
const majorMin = 13;

/** The database has the schema of a release after the next one. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/** Throws, with a sentence for the operator, when the database server is older than `majorMin`. */
async function requireServerVersion(client: postgres.Sql): Promise<void> {
  const [server] = await client<{ major: number; version: string }[]>`
    select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version`;
  if (server && server.major >= majorMin) return;
  throw new Error(`The database server is Postgres ${server?.version}; Trunkline needs Postgres ${majorMin} or newer`);
}

interface JournalEntry {
  readonly when: number;
}

function newestKnown(): number {
  const journal: { entries: JournalEntry[] } = JSON.parse(
    readFileSync(`${migrationsFolder}/meta/_journal.json`, 'utf8'),
  );
  return Math.max(...journal.entries.map((entry) => entry.when));
}

/**
 * Returns whether the schema lacks migrations of this release. That of the next release lacks none, since its migrations
 * only add; throws NewerSchemaError for the schema of a later one, which may lack what this release needs.
 */
async function isBehind(client: postgres.Sql): Promise<boolean> {
  const applied = await readApplied(client);
  if (applied.release <= release + 1) return applied.newest < newestKnown();
  const [found, own, last] = [applied.release, release, release + 1].map((number) => `0.${number}`);
  throw new NewerSchemaError(
    `The database has the schema of release ${found}; this is release ${own}, which runs on schemas up to release ` +
      `${last}: start a newer release (docs/running.md, Upgrading)`,
  );
}

/**
 * Brings the schema up to this release, then runs `prepare` under the same lock; other processes wait for the lock
 * without a time limit. The schema of the next release stays as it is. Throws NewerSchemaError for the schema of a later
 * release, and another error when the server is too old.
 */
export async function migrate(url: string, prepare: (url: string) => Promise<void> = async () => {}): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await requireServerVersion(client);
    await client`select pg_advisory_lock(${lockKey})`;
    // The migrator itself takes no lock: several processes starting at once would collide.
    if (await isBehind(client)) {
      await prepareMigrationsTable(client);
      await applyMigrations(drizzle(client), { migrationsFolder, migrationsTable });
    }
    await prepare(url);
  } catch (error) {
    if (!hasNoConnectionLeft(error)) throw error;
    const text =
      'Postgres has no connection left: raise its max_connections (docs/running.md, Connections to Postgres)';
    throw new Error(text, { cause: error });
  } finally {
    await client.end({ timeout: 5 });
  }
}
