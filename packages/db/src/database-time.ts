import { sql } from 'drizzle-orm';
import type { Db, Transaction } from './database.ts';
import { preparedSql } from './prepared.ts';

const selectNow = preparedSql(sql`select now() as at`);

/** Returns the time at which a transaction began, which rows have that it inserts without a time of their own. */
export async function transactionTime(tx: Transaction): Promise<Date> {
  const [row] = await selectNow(tx).execute();
  return new Date(row?.['at']);
}

/** Returns the time of the database's clock, which all processes share, in milliseconds since 1970. */
export async function databaseTime(db: Db): Promise<number> {
  const [row] = await db.execute<{ ms: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return Number(row?.ms);
}
