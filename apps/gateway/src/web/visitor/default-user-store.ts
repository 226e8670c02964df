import { users, type Database } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { throwAsRpcError } from '../../throw-as-rpc-error.ts';

/**
 * Returns a function that reads the id of the user `default`, the identity of anonymous visitors, at the first request.
 */
export function defaultUserIdReader(db: Database): () => Promise<number> {
  let known: number | undefined;
  return async () => {
    if (known !== undefined) return known;
    const query = db.select({ id: users.id }).from(users).where(eq(users.usernameKey, 'default'));
    const [row] = await query.catch(throwAsRpcError);
    if (!row) throw new Error('there is no user `default`');
    known = row.id;
    return known;
  };
}
