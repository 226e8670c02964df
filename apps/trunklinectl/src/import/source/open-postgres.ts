import { databaseFailure, openDatabase, type Transaction } from '@trunkline/db';
import { toOneLine } from '@trunkline/runtime';
import { sql, type SQL } from 'drizzle-orm';
import { RefusedError, UnreachableError, UsageError } from '../../errors.ts';
import type { SourceDatabase, SourceRow } from './read-table.ts';

const statementTimeoutMs = 600_000;

/** SQLAlchemy names the driver in the URL, as in `postgresql+psycopg2://`. */
const driver = /^postgres(?:ql)?(?:\+\w+)?:/;

export function isPostgresUrl(database: string): boolean {
  return driver.test(database);
}

interface Column extends Record<string, unknown> {
  readonly name: string;
  /** `BASE TABLE` for a table. */
  readonly kind: string;
  readonly is_generated: string;
}

/** Returns the columns of what is a table that computes none of them: a view may run anything, without an end. */
function columnNames(table: string, columns: readonly Column[]): string[] {
  if (columns.some(({ kind }) => kind !== 'BASE TABLE'))
    throw new RefusedError(`\`${table}\` of the database is no table`);
  const computed = columns.find(({ is_generated: generated }) => generated !== 'NEVER');
  if (computed) throw new RefusedError(`the column \`${computed.name}\` of the table \`${table}\` is computed`);
  return columns.map(({ name }) => name);
}

/** Reads tables in a transaction; an error of the database names the table. */
function readTables(tx: Transaction): SourceDatabase {
  const read = async <Row extends Record<string, unknown>>(table: string, statement: SQL) => {
    try {
      return [...(await tx.execute<Row>(statement))];
    } catch (cause) {
      if (databaseFailure(cause) !== undefined) throw new Error(`the table \`${table}\``, { cause });
      // The text of drizzle's own error is the statement.
      const why = toOneLine(cause instanceof Error ? (cause.cause ?? cause) : cause);
      throw new UsageError(`the table \`${table}\` of the database cannot be read: ${why}`, { cause });
    }
  };
  const list = (parts: readonly SQL[], separator: string) => sql.join([...parts], sql.raw(separator));
  return {
    async columns(table) {
      const columns = await read<Column>(
        table,
        sql`select column_name as name, table_type as kind, is_generated
          from information_schema.columns join information_schema.tables using (table_schema, table_name)
          where table_name = ${table} and table_schema = any(current_schemas(false))`,
      );
      return columnNames(table, columns);
    },
    rows(table, columns) {
      const named = columns.map((name) => sql`${sql.identifier(name)}::text as ${sql.identifier(name)}`);
      return read<SourceRow>(table, sql`select ${list(named, ', ')} from ${sql.identifier(table)}`);
    },
    async size(table, columns) {
      const lengths = columns.map((name) => sql`coalesce(octet_length(${sql.identifier(name)}::text), 0)::bigint`);
      const length = list([sql`0`, ...lengths], ' + ');
      const statement = sql`select count(*) as rows, coalesce(sum(${length}), 0) as bytes from ${sql.identifier(table)}`;
      const [size] = await read(table, statement);
      return { rows: Number(size?.['rows']), bytes: Number(size?.['bytes']) };
    },
  };
}

/** Runs `act` with a Postgres database, of which one snapshot is read. */
export async function withPostgres<T>(url: string, act: (source: SourceDatabase) => Promise<T>): Promise<T> {
  const plain = url.replace(driver, 'postgres:');
  if (!URL.canParse(plain)) throw new UsageError('DATABASE is no valid URL');
  const { db, close } = openDatabase(plain, { connectionsMax: 1, name: 'trunklinectl import', statementTimeoutMs });
  try {
    return await db.transaction((tx) => act(readTables(tx)), {
      isolationLevel: 'repeatable read',
      accessMode: 'read only',
    });
  } catch (error) {
    if (databaseFailure(error) === undefined) throw error;
    throw new UnreachableError(`The database to import does not answer: ${toOneLine(error)}`, { cause: error });
  } finally {
    await close();
  }
}
