import { users, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/**
 * Serialises changes of the default permissions, and of any user's networks, until the transaction ends; grants and
 * reads need not wait.
 */
export async function lockDefaultUser(tx: Transaction): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.usernameKey, 'default')).for('no key update');
}
