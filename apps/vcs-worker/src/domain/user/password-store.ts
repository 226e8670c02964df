import { users, type Db } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';

/** Reads a user's password hash, and the LDAP name of a user whom the LDAP server authenticates. */
export async function findPassword(
  db: Db,
  userId: number,
): Promise<{ passwordHash: string | null; ldapDn: string | null }> {
  const [row] = await db
    .select({ passwordHash: users.passwordHash, ldapDn: users.ldapDn })
    .from(users)
    .where(eq(users.id, userId));
  return row ?? { passwordHash: null, ldapDn: null };
}

/** Replaces a password hash; returns false when another change came first. */
export async function replacePassword(
  db: Db,
  userId: number,
  passwordHash: string | null,
  newHash: string,
): Promise<boolean> {
  const replaced = await db
    .update(users)
    .set({ passwordHash: newHash })
    .where(and(eq(users.id, userId), sql`${users.passwordHash} is not distinct from ${passwordHash}`))
    .returning({ id: users.id });
  return replaced.length > 0;
}
