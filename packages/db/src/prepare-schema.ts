import { setTimeout as sleep } from 'node:timers/promises';
import { migrationsTable } from './applied-migrations.ts';
import { databaseAway, readOnly, type DatabaseAway } from './pg-error.ts';
import { withConnection } from './lock-start.ts';
import { isMigrated, isOwner, migrate } from './migrate.ts';
import { tierFunctions } from './rights/rights.ts';
import { tierRights, type Tier, type TierRoles } from './rights/grants.ts';
import { findMissingRight } from './rights/compare-rights.ts';

export interface SchemaAccess {
  /** URL with which the process works. */
  readonly url: string;
  /** URL of the owner of the schema; null for a process that does not migrate with another role than its own. */
  readonly migrateUrl: string | null;
  readonly tier: Tier;
  readonly roles: TierRoles;
}

/** What a process waits for: a word for `/readyz`, and a sentence for the log. */
export interface Wanted {
  readonly name: string;
  readonly text: string;
}

const pollMs = 1_000;

const schema: Wanted = {
  name: 'schema',
  text: 'waits for the schema of this release, which a process with TRUNKLINE_MIGRATE_URL creates',
};

function rights(missing: string): Wanted {
  const text = `waits for the rights of its database role, which lacks ${missing} (docs/running/postgres.md)`;
  return { name: 'database rights', text };
}

function database({ name, state }: Pick<DatabaseAway, 'name' | 'state'>): Wanted {
  return { name, text: `waits for the database, which ${state}` };
}

async function findWanted({ url, tier }: SchemaAccess): Promise<Wanted | null> {
  return withConnection(url, async (client) => {
    const [server] = await client<
      { writes: boolean }[]
    >`select not current_setting('transaction_read_only')::bool as writes`;
    if (!server?.writes) return database(readOnly);
    const migrated = await isMigrated(client);
    if (migrated === null) return rights(`select on drizzle.${migrationsTable}`);
    if (!migrated) return schema;
    const missing = await findMissingRight(client, tierRights[tier], tierFunctions[tier]);
    return missing === null ? null : rights(missing);
  });
}

/**
 * Migrates, if the process has the URL of the owner of the schema or its own role is the owner; then waits, without a
 * connection, until schema and rights are those that this release needs. `onWait` is told each time what is missing.
 */
export async function prepareSchema(access: SchemaAccess, onWait: (wanted: Wanted) => Promise<void>): Promise<void> {
  if (access.migrateUrl !== null) await migrate(access.migrateUrl, access.roles);
  else if (await isOwner(access.url)) await migrate(access.url, access.roles);
  for (;;) {
    const wanted = await findWanted(access);
    if (wanted === null) return;
    await onWait(wanted);
    await sleep(pollMs);
  }
}

/**
 * Runs what a start needs the database for, and begins anew as long as that is away; `onWait` is told each time why. Other
 * errors, among them a refused password, end the start.
 */
export async function whenDatabaseWorks<T>(
  act: () => Promise<T>,
  onWait: (wanted: Wanted) => Promise<void>,
): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const away = databaseAway(error);
      if (!away) throw error;
      await onWait(database(away));
    }
    await sleep(pollMs);
  }
}
