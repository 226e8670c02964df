import { userGlobalPermissions, userGroupGlobalPermissions, type Db } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/** The user or user group that has a global permission. */
export interface Holder {
  readonly kind: 'user' | 'user group';
  readonly id: number;
  readonly name: string;
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
