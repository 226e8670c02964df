import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { hasNoConnectionLeft } from './pg-error.ts';

const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));
/** Key of the advisory lock that a process holds while it migrates. */
const lockKey = 7_236_401;
/** The oldest Postgres that this release was tested with. */
const majorMin = 13;

/** The database was written by a newer release than this one. */
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

async function newestApplied(client: postgres.Sql): Promise<number> {
  const [table] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  if (!table?.['exists']) return 0;
  const [row] = await client`select coalesce(max(created_at), 0) as newest from drizzle.__drizzle_migrations`;
  return Number(row?.['newest'] ?? 0);
}

/**
 * Brings the schema up to this release, then runs `prepare` under the same lock; other processes wait for the lock
 * without a time limit. Throws NewerSchemaError when the schema is that of a newer release, and another error when the
 * server is too old.
 */
export async function migrate(url: string, prepare: (url: string) => Promise<void> = async () => {}): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await requireServerVersion(client);
    await client`select pg_advisory_lock(${lockKey})`;
    const applied = await newestApplied(client);
    const known = newestKnown();
    if (applied > known) throw new NewerSchemaError('The database was written by a newer release; upgrade this one');
    // The migrator itself takes no lock: several processes starting at once would collide.
    if (applied < known) await applyMigrations(drizzle(client), { migrationsFolder });
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
