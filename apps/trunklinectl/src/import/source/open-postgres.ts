import { databaseFailure, openDatabase } from '@trunkline/db';
import { toOneLine } from '@trunkline/runtime';
import { sql } from 'drizzle-orm';
import { UnreachableError, UsageError } from '../../errors.ts';
import type { SourceDatabase, SourceRow } from './source-database.ts';

const statementTimeoutMs = 600_000;

/** SQLAlchemy names the driver in the URL, as in `postgresql+psycopg2://`. */
const driver = /^postgres(?:ql)?(?:\+\w+)?:/;

export function isPostgresUrl(database: string): boolean {
  return driver.test(database);
}

/** Runs `act` with a Postgres database, of which one snapshot is read. */
export async function withPostgres<T>(url: string, act: (source: SourceDatabase) => Promise<T>): Promise<T> {
  const plain = url.replace(driver, 'postgres:');
  if (!URL.canParse(plain)) throw new UsageError('DATABASE is no valid URL');
  const { db, close } = openDatabase(plain, { connectionsMax: 1, name: 'trunklinectl import', statementTimeoutMs });
  try {
    return await db.transaction(
      async (tx) =>
        act({
          async columns(table) {
            const rows = await tx.execute<{ name: string }>(sql`select column_name as name
              from information_schema.columns where table_name = ${table} and table_schema = any(current_schemas(false))`);
            return rows.map(({ name }) => name);
          },
          async rows(table, columns) {
            const named = sql.join(
              columns.map((name) => sql`${sql.identifier(name)}::text as ${sql.identifier(name)}`),
              sql`, `,
            );
            return [...(await tx.execute<SourceRow>(sql`select ${named} from ${sql.identifier(table)}`))];
          },
          async count(table) {
            const [row] = await tx.execute<{ count: string }>(sql`select count(*) from ${sql.identifier(table)}`);
            return Number(row?.count);
          },
        }),
      { isolationLevel: 'repeatable read', accessMode: 'read only' },
    );
  } catch (error) {
    if (databaseFailure(error) === undefined) throw error;
    throw new UnreachableError(`The database to import does not answer: ${toOneLine(error)}`, { cause: error });
  } finally {
    await close();
  }
}
