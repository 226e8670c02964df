import { users, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/** Until the transaction ends no other one changes what holds for everybody; rights are granted and read meanwhile. */
export async function lockDefaultUser(tx: Transaction): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.usernameKey, 'default')).for('no key update');
}
