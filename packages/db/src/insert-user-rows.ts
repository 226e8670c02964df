import type { Db } from './database.ts';
import { foldCase } from './fold-case.ts';
import { apiKeys, userEmails, users } from './schema/users.ts';
import type { StoredKey } from './stored-key.ts';

export interface NewUserRows extends Omit<typeof users.$inferInsert, 'usernameKey'> {
  /** The primary address. */
  readonly address: string;
  /** The built-in key. */
  readonly key: StoredKey;
}

/** Inserts a user with primary address and built-in key; returns the id. Fails when name or address are taken. */
export async function insertUserRows(db: Db, { address, key, ...user }: NewUserRows): Promise<number> {
  const [row] = await db
    .insert(users)
    .values({ ...user, usernameKey: foldCase(user.username) })
    .returning({ id: users.id });
  if (!row) throw new Error('no user was inserted');
  await db.insert(userEmails).values({ userId: row.id, email: address, emailKey: foldCase(address), isPrimary: true });
  await db.insert(apiKeys).values({ userId: row.id, builtin: true, ...key });
  return row.id;
}
