import { and, asc } from 'drizzle-orm';
import type { Db } from './database.ts';
import { users } from './schema/users.ts';

/** Returns the id of the first active administrator, who owns what is created without an owner; undefined for none. */
export async function findFirstAdminId(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(users.admin, users.active))
    .orderBy(asc(users.id))
    .limit(1);
  return row?.id;
}
