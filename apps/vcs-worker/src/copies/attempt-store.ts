import { ConflictError } from '@trunkline/contracts';
import { operations, repositories, type Db } from '@trunkline/db';
import { and, eq, gt, ne, sql } from 'drizzle-orm';

/** Throws unless this attempt holds the operation: another one has taken it over, or it has ended. */
export async function requireAttempt(
  db: Db,
  { operationId, attempt }: { readonly operationId: string; readonly attempt: number },
): Promise<void> {
  const [held] = await db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(
        eq(operations.id, operationId),
        eq(operations.attempt, attempt),
        eq(operations.state, 'running'),
        gt(operations.leaseUntil, sql`clock_timestamp()`),
      ),
    );
  if (!held) throw new ConflictError('Another attempt has taken the operation over, or it has ended');
}

/** Throws when a repository is in use at the path: nothing that an attempt has left stands there. */
export async function requireVacant(db: Db, storageId: string, storagePath: string): Promise<void> {
  const { id, state } = repositories;
  const isThere = and(eq(repositories.storageId, storageId), eq(repositories.storagePath, storagePath));
  const [found] = await db
    .select({ id })
    .from(repositories)
    .where(and(isThere, ne(state, 'creating')));
  if (found) throw new ConflictError('A repository is in use at the path');
}
