import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';
import { knownMigrations, readApplied } from '../applied-migrations.ts';
import { isLockTimeout } from '../pg-error.ts';
import { quoteName, quoteText } from '../rights/grants.ts';
import { arrangeLoaded, endRunningOperations, type Arriving } from './arrange-loaded.ts';
import type { Dump } from './dump-tables.ts';

/** The database is not one into which a backup can be restored. */
export class LoadRefusedError extends Error {
  override readonly name = 'LoadRefusedError';
}

/** What is loaded of a backup: its tables, and where each repository is to arrive. */
export interface Loaded extends Pick<Dump, 'schema' | 'tables' | 'sequences'> {
  /** Id of the backup, by which a restore that was cut off is continued. */
  readonly backup: string;
  readonly arriving: readonly Arriving[];
  readonly rowsOf: (table: string) => AsyncIterable<Uint8Array>;
}

/** Tables without a row as long as an instance has only what its first start makes. */
const emptyAtFirst = [
  'repositories',
  'repo_groups',
  'names',
  'user_groups',
  'deleted_repositories',
  'operations',
  'imported_objects',
  'user_ip_addresses',
  'followers',
  'user_group_members',
  'user_group_global_permissions',
  'user_repository_permissions',
  'user_group_repository_permissions',
  'user_repo_group_permissions',
  'user_group_repo_group_permissions',
] as const;
/** The administrator and `default`, whom the first start makes, each with an address and a key. */
const usersAtFirst = 2;
const ofUsersAtFirst = ['users', 'user_emails', 'api_keys'] as const;

async function requireEmpty(tx: postgres.ISql): Promise<void> {
  for (const table of emptyAtFirst) {
    const [row] = await tx.unsafe(`select from public.${quoteName(table)} limit 1`);
    if (row) throw new LoadRefusedError(`the database is in use: the table \`${table}\` has rows`);
  }
  for (const table of ofUsersAtFirst) {
    const rows = await tx.unsafe(`select from public.${quoteName(table)} limit ${usersAtFirst + 1}`);
    if (rows.length <= usersAtFirst) continue;
    throw new LoadRefusedError(`the database is in use: the table \`${table}\` has more than the first start makes`);
  }
}

const loadName = (table: string) => quoteName(`load_${table}`);

/** Copies rows to temporary tables without constraints, where they are changed before they come to the tables. */
async function copyIn(tx: postgres.ISql, { tables, rowsOf }: Loaded): Promise<void> {
  for (const { name, columns } of tables) {
    await tx.unsafe(`create temporary table ${loadName(name)} (like public.${quoteName(name)}) on commit drop`);
    const list = columns.map(quoteName).join(', ');
    await pipeline(rowsOf(name), await tx.unsafe(`copy ${loadName(name)} (${list}) from stdin`).writable());
  }
}

async function replaceRows(tx: postgres.ISql, { tables }: Loaded): Promise<void> {
  const loaded = tables.filter(({ name }) => name !== 'storages');
  await tx.unsafe(`truncate ${loaded.map(({ name }) => `public.${quoteName(name)}`).join(', ')}`);
  for (const { name, columns } of loaded) {
    const list = columns.map(quoteName).join(', ');
    await tx.unsafe(`insert into public.${quoteName(name)} (${list}) overriding system value
      select ${list} from ${loadName(name)}`);
  }
}

async function setSequences(tx: postgres.ISql, { sequences }: Loaded): Promise<void> {
  for (const { table, column, value } of sequences) {
    const sequence = `pg_get_serial_sequence(${quoteText(`public.${quoteName(table)}`)}, ${quoteText(column)})`;
    await tx.unsafe(`select setval(${sequence}, last) from (select greatest(max(${quoteName(column)}), ${value ?? 0}) as last
      from public.${quoteName(table)}) known where last > 0`);
  }
}

/** Throws LoadRefusedError for a backup of another schema than that with this newest migration. */
function requireSchemaOf({ schema }: Loaded, newest: number): void {
  if (schema === newest) return;
  const [ofBackup, here] = [schema, newest].map((when) => new Date(when).toISOString());
  const text = `the backup has the schema of ${ofBackup}, the database that of ${here}`;
  // A backup of this release or an earlier one ends with one of the migrations that this release has.
  if (schema < newest && !knownMigrations().includes(schema)) {
    throw new LoadRefusedError(
      `${text}: it was made by a commit between two releases, from which nothing leads to this one`,
    );
  }
  throw new LoadRefusedError(`${text}: restore it with the release that made it, and upgrade then`);
}

/**
 * Replaces the rows of an instance that has none but those of its first start, in one transaction, by those of a backup.
 * Repositories are hidden until their bytes have arrived, each by an operation of its own. Throws LoadRefusedError for a
 * database that is in use or has another schema.
 */
export async function loadTables(client: postgres.Sql, loaded: Loaded): Promise<void> {
  requireSchemaOf(loaded, (await readApplied(client)).newest);
  await client.begin(async (tx) => {
    await tx.unsafe(`set local lock_timeout = '60s'`);
    const all = loaded.tables.map(({ name }) => `public.${quoteName(name)}`).join(', ');
    await tx.unsafe(`lock table ${all} in access exclusive mode`).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      const text = 'a transaction of another process has kept rows of the database for a minute: stop the gateways';
      throw new LoadRefusedError(text, { cause: error });
    });
    await requireEmpty(tx);
    await copyIn(tx, loaded);
    await arrangeLoaded(tx, loaded.arriving);
    await replaceRows(tx, loaded);
    await setSequences(tx, loaded);
    await endRunningOperations(tx, loaded.backup, loaded.arriving);
  });
}
