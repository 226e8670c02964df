import type { Database } from '@trunkline/db';
import { sql } from 'drizzle-orm';

/** Settles when the database has answered, or not. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.execute(sql`select 1`);
}
