import type { OperationFailedError } from '@trunkline/contracts';
import { foldCase, isUniqueViolation, userGroups, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { changesSomething } from '../../changes-something.ts';

export interface UserGroupChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly ownerId?: number | undefined;
  readonly active?: boolean | undefined;
}

/** Changes a user group; leaves undefined members as they are. Throws `failure` when another group has the new name. */
export async function changeUserGroup(
  tx: Transaction,
  id: number,
  { name, ...rest }: UserGroupChange,
  failure: (cause: unknown) => OperationFailedError,
): Promise<void> {
  const named = name === undefined ? {} : { name, nameKey: foldCase(name) };
  const change = { ...named, ...rest };
  if (!changesSomething(change)) return;
  try {
    await tx.update(userGroups).set(change).where(eq(userGroups.id, id));
  } catch (error) {
    if (isUniqueViolation(error)) throw failure(error);
    throw error;
  }
}

/**
 * Removes a user group with its members and global permissions. Returns its name, undefined when there was no group.
 */
export async function removeUserGroup(tx: Transaction, id: number): Promise<string | undefined> {
  const [removed] = await tx.delete(userGroups).where(eq(userGroups.id, id)).returning({ name: userGroups.name });
  return removed?.name;
}
