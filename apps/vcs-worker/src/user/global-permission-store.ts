import { userGlobalPermissions, userGroupGlobalPermissions, type Db } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';

/** The user or user group that has a global permission. */
export interface Holder {
  readonly kind: 'user' | 'user group';
  readonly id: number;
  readonly name: string;
}

export async function grantGlobally(db: Db, { kind, id }: Holder, permission: string): Promise<void> {
  if (kind === 'user') await db.insert(userGlobalPermissions).values({ userId: id, permission }).onConflictDoNothing();
  else await db.insert(userGroupGlobalPermissions).values({ userGroupId: id, permission }).onConflictDoNothing();
}

export async function revokeGlobally(db: Db, { kind, id }: Holder, permission: string): Promise<void> {
  const [ofUser, ofGroup] = [userGlobalPermissions, userGroupGlobalPermissions];
  if (kind === 'user') await db.delete(ofUser).where(and(eq(ofUser.userId, id), eq(ofUser.permission, permission)));
  else await db.delete(ofGroup).where(and(eq(ofGroup.userGroupId, id), eq(ofGroup.permission, permission)));
}

/** Lists the permissions granted to the holder itself. */
export async function listGrants(db: Db, { kind, id }: Holder): Promise<string[]> {
  const [ofUser, ofGroup] = [userGlobalPermissions, userGroupGlobalPermissions];
  const rows =
    kind === 'user'
      ? await db.select({ permission: ofUser.permission }).from(ofUser).where(eq(ofUser.userId, id))
      : await db.select({ permission: ofGroup.permission }).from(ofGroup).where(eq(ofGroup.userGroupId, id));
  return rows.map(({ permission }) => permission).toSorted();
}
