import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';

/** Returns the time of the database's clock, which all processes share, in milliseconds since 1970. */
export async function databaseTime(db: Db): Promise<number> {
  const [row] = await db.execute<{ ms: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return Number(row?.ms);
}
