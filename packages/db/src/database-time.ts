import { sql } from 'drizzle-orm';
import type { Executor } from './database.ts';

/** Milliseconds by the one clock that all processes share. */
export async function databaseTime(executor: Executor): Promise<number> {
  const [row] = await executor.execute<{ ms: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return Number(row?.ms);
}
