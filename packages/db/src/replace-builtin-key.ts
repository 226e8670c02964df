import { and, eq } from 'drizzle-orm';
import type { Transaction } from './database.ts';
import { apiKeys } from './schema/users.ts';
import type { StoredKey } from './stored-key.ts';

/**
 * Replaces the row, not the key in the row: workers identify a key by its row's id, and so refuse a replaced key that a
 * gateway has cached.
 */
export async function replaceBuiltinKey(
  tx: Transaction,
  userId: number,
  key: StoredKey,
): Promise<typeof apiKeys.$inferSelect> {
  await tx.delete(apiKeys).where(and(eq(apiKeys.userId, userId), eq(apiKeys.builtin, true)));
  const [row] = await tx
    .insert(apiKeys)
    .values({ userId, ...key, builtin: true })
    .returning();
  if (!row) throw new Error('no key was inserted');
  return row;
}
