import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { lockStart, whileOthersWait, withConnection } from './lock-start.ts';
import { isLockTimeout } from './pg-error.ts';
import {
  knownMigrations,
  migrationsFolder,
  migrationsTable,
  prepareMigrationsTable,
  readApplied,
  release,
} from './applied-migrations.ts';
import { applyGrants, type TierRoles } from './rights/grants.ts';
import { roleNames } from './rights/role-statements.ts';

/**
 * Longer than the `deadlock_timeout` of Postgres (1 s), after which an autovacuum makes way for a change of the schema, and
 * shorter than the limit of reads (2 s), which wait behind this lock.
 */
const waitMs = 1_500;
/** Statements that wait behind the locks of a failed attempt go on meanwhile. */
const pauseMs = 1_000;
/** For how long attempts are begun. */
const attemptsMs = 120_000;

/**
 * Runs `act`, whose transactions change the schema beside running processes, until it gets its locks: each wait for one
 * ends after a second and a half, since statements of others wait behind it, and a transaction that did not get a lock, or
 * that was ended as one of a deadlock, is made anew. Throws, with a sentence for the operator, after two minutes.
 */
async function retryForLocks(client: postgres.Sql, act: () => Promise<void>): Promise<void> {
  const end = performance.now() + attemptsMs;
  for (;;) {
    try {
      // The driver opens another connection when the server has closed this one during the pause.
      await lockStart(client);
      await client`select set_config('lock_timeout', ${String(waitMs)}, false)`;
      return await act();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() > end) {
        const text =
          `The migration got no lock on its tables for ${attemptsMs / 1_000} seconds: look for long transactions in ` +
          'pg_stat_activity, and start again (docs/running/upgrading.md)';
        throw new Error(text, { cause: error });
      }
      await sleep(pauseMs);
    }
  }
}

/** The oldest Postgres that this release was tested with. */
export const majorMin = 13;

/** The database has the schema of a release after the next one. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/** The database has the schema of a commit between two releases. */
export class UnreleasedSchemaError extends Error {
  override readonly name = 'UnreleasedSchemaError';
}

/** Throws, with a sentence for the operator, when the database server is older than `majorMin`. */
async function requireServerVersion(client: postgres.Sql): Promise<void> {
  const [server] = await client<{ major: number; version: string }[]>`
    select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version`;
  if (server && server.major >= majorMin) return;
  throw new Error(`The database server is Postgres ${server?.version}; Trunkline needs Postgres ${majorMin} or newer`);
}

/**
 * Returns whether the schema lacks migrations of this release. That of the next release lacks none, since its migrations
 * only add; throws NewerSchemaError for the schema of a later one, which may lack what this release needs, and
 * UnreleasedSchemaError for one that was made by other migrations than those of releases.
 */
async function isBehind(client: postgres.Sql): Promise<boolean> {
  const [applied, known] = [await readApplied(client), knownMigrations()];
  if (applied.release > release + 1) {
    const [found, own, last] = [applied.release, release, release + 1].map((number) => `0.${number}`);
    throw new NewerSchemaError(
      `The database has the schema of release ${found}; this is release ${own}, which runs on schemas up to release ` +
        `${last}: start a newer release (docs/running/upgrading.md)`,
    );
  }
  if (applied.former.some((when) => !known.includes(when))) {
    const [previous, own] = [release - 1, release].map((number) => `0.${number}`);
    throw new UnreleasedSchemaError(
      `The database has the schema of a commit between the releases ${previous} and ${own}, from which nothing leads to ` +
        `release ${own}: use a database of release ${previous}, or an empty one (docs/running/upgrading.md)`,
    );
  }
  return applied.newest < Math.max(...known);
}

/** Throws NewerSchemaError or UnreleasedSchemaError for a schema that this release cannot use. Changes nothing. */
export async function requireUsableSchema(client: postgres.Sql): Promise<void> {
  await isBehind(client);
}

/**
 * Returns whether the schema lacks no migration of this release; null when this role may not know. Throws as `isBehind`.
 */
export async function isMigrated(client: postgres.Sql): Promise<boolean | null> {
  const [table] = await client<{ readable: boolean }[]>`
    select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'drizzle' and c.relname = ${migrationsTable}`;
  if (!table) return false;
  return table.readable ? !(await isBehind(client)) : null;
}

/** Returns whether the role of a connection owns the schema or, in a database without one, may create it. */
async function mayMigrate(client: postgres.Sql): Promise<boolean> {
  const [row] = await client<{ may: boolean }[]>`
    select coalesce(
      (select bool_and(pg_has_role(c.relowner, 'usage')) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'drizzle' and c.relkind = 'r'),
      has_database_privilege(current_database(), 'create')) as may`;
  return row?.may === true;
}

/** Returns whether the role in the URL migrates; throws when the server is too old. */
export async function isOwner(url: string): Promise<boolean> {
  return withConnection(url, async (client) => {
    await requireServerVersion(client);
    return mayMigrate(client);
  });
}

/**
 * Brings the schema up to this release and gives the roles of gateways and workers their rights; other processes wait
 * meanwhile. The schema of the next release stays as it is. Throws as `requireUsableSchema` does before it changes anything,
 * and another error when the server is too old, or when transactions hold the tables for minutes.
 */
export async function migrate(
  url: string,
  roles: TierRoles = { gateway: roleNames.gateway, worker: roleNames.worker },
): Promise<void> {
  await whileOthersWait(url, async (client) => {
    await requireServerVersion(client);
    // The migrator itself takes no lock: several processes starting at once would collide.
    await retryForLocks(client, async () => {
      if (await isBehind(client)) {
        await prepareMigrationsTable(client);
        await applyMigrations(drizzle(client), { migrationsFolder, migrationsTable });
      }
      await applyGrants(client, roles);
    });
  });
}
