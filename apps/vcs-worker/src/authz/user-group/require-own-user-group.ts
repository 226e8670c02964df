import type { EntityRef } from '@trunkline/contracts';
import { userGroups, type Transaction } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import { userGroupNamed, userGroupNotFound } from '../../domain/groups/user-group-store.ts';
import type { Access } from '../authorize.ts';

/**
 * Returns the id of the user group that the call names, and locks its row. Throws NotFoundError unless the caller owns
 * the group or is an administrator.
 */
export async function requireOwnUserGroup(tx: Transaction, { user }: Access, ref: EntityRef): Promise<number> {
  const [row] = await tx
    .select({ id: userGroups.id })
    .from(userGroups)
    .where(and(userGroupNamed(ref), user.admin ? undefined : eq(userGroups.ownerId, user.id)))
    .for('update');
  if (!row) throw userGroupNotFound(ref);
  return row.id;
}
