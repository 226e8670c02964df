import { foldCase, users, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { RefusedError } from './errors.ts';

/** Finds a user by name and keeps other transactions from changing the user's keys and networks meanwhile. */
export async function lockUser(tx: Transaction, username: string): Promise<{ id: number; username: string }> {
  const [row] = await tx
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(eq(users.usernameKey, foldCase(username)))
    .for('no key update');
  if (!row) throw new RefusedError(`user \`${username}\` does not exist`);
  return row;
}
