import { ConflictError } from '@trunkline/contracts';
import { operations, type Db } from '@trunkline/db';
import { and, eq, gt, sql } from 'drizzle-orm';

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
