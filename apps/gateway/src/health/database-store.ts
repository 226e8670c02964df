import type { Database } from '@trunkline/db';
import { sql } from 'drizzle-orm';

/** Runs a trivial query. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.execute(sql`select 1`);
}
