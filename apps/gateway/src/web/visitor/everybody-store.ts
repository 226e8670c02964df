import { users, type Database } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/** Reads once, when it is first asked, as whom those see pages who have not signed in. */
export function everybodyReader(db: Database): () => Promise<number> {
  let known: number | undefined;
  return async () => {
    if (known !== undefined) return known;
    const [row] = await db.select({ id: users.id }).from(users).where(eq(users.usernameKey, 'default'));
    if (!row) throw new Error('there is no user `default`');
    known = row.id;
    return known;
  };
}
