import type postgres from 'postgres';
import { readApplied } from '../applied-migrations.ts';
import { quoteName } from '../rights/grants.ts';
import { arrivalKind } from './arrange-loaded.ts';

interface Table {
  readonly name: string;
  /** Names of the tables to which rows of this one refer. */
  readonly needs: readonly string[];
}

/** Returns the tables in an order in which none comes before one that it needs. */
export function inNeededOrder<T extends Table>(tables: readonly T[]): readonly T[] {
  const left = new Set(tables);
  const ordered: T[] = [];
  const names = new Set<string>();
  while (left.size > 0) {
    const free = [...left].filter(({ needs }) => needs.every((name) => names.has(name)));
    if (free.length === 0) throw new Error('tables refer to each other');
    for (const table of free) {
      left.delete(table);
      names.add(table.name);
      ordered.push(table);
    }
  }
  return ordered;
}

/** A table with its columns; its rows refer to rows of tables before it, and to its own, alone. */
export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The last value that an identity column was given; null for none. */
export interface DumpedSequence {
  readonly table: string;
  readonly column: string;
  readonly value: number | null;
}

/** What a backup has to know of a repository beside its row. */
export interface DumpedRepository {
  readonly id: number;
  readonly name: string;
  readonly uuid: string;
  readonly type: 'hg' | 'git';
  readonly storage: string;
  readonly epoch: number;
  readonly generation: number;
  readonly sizeBytes: number | null;
  /** Whether the last reading of all of it has found damage. */
  readonly damaged: boolean;
}

export interface Dump {
  /** Time of the snapshot, by the database's clock. */
  readonly takenAt: string;
  /** The newest migration of the schema. */
  readonly schema: number;
  readonly tables: readonly DumpedTable[];
  readonly sequences: readonly DumpedSequence[];
  /** Ids of the secrets under which values were written. */
  readonly secretIds: readonly string[];
  readonly storages: readonly string[];
  readonly repositories: readonly DumpedRepository[];
}

/** Lists the tables of a schema, with their columns. */
async function listTables(client: postgres.ISql): Promise<readonly DumpedTable[]> {
  const found = await client<{ name: string; columns: string[]; needs: string[] }[]>`
    select c.relname::text as name,
      to_json(array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
        and not a.attisdropped and a.attgenerated = '' order by a.attnum)) as columns,
      to_json(array(select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid)) as needs
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`;
  return inNeededOrder(found).map(({ name, columns }) => ({ name, columns }));
}

async function listSequences(client: postgres.ISql): Promise<readonly DumpedSequence[]> {
  return client<DumpedSequence[]>`
    select c.table_name::text as "table", c.column_name::text as "column",
      pg_sequence_last_value(pg_get_serial_sequence('public.' || quote_ident(c.table_name), c.column_name)::regclass)::float8
        as value
    from information_schema.columns c where c.table_schema = 'public' and c.is_identity = 'YES' order by 1, 2`;
}

/** The database has repositories of a restore that have not arrived, so that a dump would lack them. */
export class RestoreUnfinishedError extends Error {
  override readonly name = 'RestoreUnfinishedError';
}

async function requireRestored(client: postgres.ISql): Promise<void> {
  const [row] = await client<{ count: number }[]>`
    select count(*)::int as count from operations where kind = ${arrivalKind} and state = 'running'`;
  const count = row?.count ?? 0;
  if (count > 0) throw new RestoreUnfinishedError(`${count} repositories of a restore have not arrived`);
}

async function describe(client: postgres.ISql): Promise<Dump> {
  // The first statement takes the snapshot.
  const [now] = await client<{ at: string }[]>`select now()::text as at`;
  await requireRestored(client);
  const secrets = await client<{ id: string }[]>`
    select secret_id as id from api_keys union select clone_uri_secret_id from repositories
      where clone_uri_sealed is not null and clone_uri_secret_id is not null order by 1`;
  const storages = await client<{ name: string }[]>`select name from storages order by 1`;
  const repositories = await client<DumpedRepository[]>`
    select r.id, r.name, r.uuid, r.type, s.name as storage, r.epoch::float8 as epoch, r.generation::float8 as generation,
      r.size_bytes::float8 as "sizeBytes", coalesce(v.damaged, false) as damaged
    from repositories r join storages s on s.id = r.storage_id
      left join repository_verifications v on v.repository_id = r.id
    where r.state = 'ready' order by r.id`;
  return {
    takenAt: now?.at ?? '',
    schema: (await readApplied(client)).newest,
    tables: await listTables(client),
    sequences: [...(await listSequences(client))],
    secretIds: secrets.map(({ id }) => id),
    storages: storages.map(({ name }) => name),
    repositories: [...repositories],
  };
}

/**
 * Reads the rows of all tables in one snapshot: `receive` takes those of a table as COPY writes them, and then the next.
 * Throws RestoreUnfinishedError, before it reads any, while a restore has not ended.
 */
export async function dumpTables(
  client: postgres.Sql,
  receive: (table: string, rows: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Dump> {
  const dumped = await client.begin('isolation level repeatable read read only', async (tx) => {
    const dump = await describe(tx);
    for (const { name, columns } of dump.tables) {
      const copy = `copy public.${quoteName(name)} (${columns.map(quoteName).join(', ')}) to stdout`;
      await receive(name, await tx.unsafe(copy).readable());
    }
    return { dump };
  });
  return dumped.dump;
}
