import { RepositoryLockedError } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { findLock } from './lock-store.ts';

/** Throws the client's error when another user holds the lock of a repository. */
export async function requireUnlocked(
  db: Db,
  { id, name }: { readonly id: number; readonly name: string },
  user: { readonly username: string },
): Promise<void> {
  const held = await findLock(db, id);
  if (held && held.username !== user.username) {
    throw new RepositoryLockedError(`Repository \`${name}\` locked by user \`${held.username}\``);
  }
}
