import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';

/** Milliseconds since 1970 by the database's clock, the one that all processes share. */
export async function databaseTime(db: Db): Promise<number> {
  const [row] = await db.execute<{ ms: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return Number(row?.ms);
}
