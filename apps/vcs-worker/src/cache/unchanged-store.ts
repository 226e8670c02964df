import { operations, prepared, repositories, type Db } from '@trunkline/db';
import { and, eq, notExists, notInArray, sql } from 'drizzle-orm';
import type { RepositoryAccess } from '../authz/authorize.ts';

/** Kinds that change no bytes which a read shows, or first give a generation in which nothing is cached. */
const harmless = ['maintain', 'move', 'verify'] as const;

const unchangedQuery = prepared((db) => {
  const mayHaveTouched = and(
    eq(operations.repositoryId, repositories.id),
    eq(operations.state, 'running'),
    notInArray(operations.kind, [...harmless]),
    sql`${operations.request} ->> 'touched' is distinct from 'false'`,
  );
  return db
    .select({ id: repositories.id })
    .from(repositories)
    .where(
      and(
        eq(repositories.id, sql.placeholder('id')),
        eq(repositories.generation, sql.placeholder('generation')),
        eq(repositories.needsRecovery, false),
        // Objects may go in this generation, as long as it lasts.
        sql`${repositories.removedAtGeneration} is distinct from ${repositories.generation}`,
        notExists(
          db
            .select({ one: sql`1` })
            .from(operations)
            .where(mayHaveTouched),
        ),
      ),
    )
    .prepare('repository_unchanged');
});

/**
 * Returns whether no byte of a repository can have changed since its row was read: same generation, no repair due, no
 * maintenance that removes objects in it, no running operation that has come as far as its first byte. Every operation
 * that has come so far ends with a new generation (ADR 51).
 */
export async function isUnchanged(
  db: Db,
  { id, generation }: Pick<RepositoryAccess, 'id' | 'generation'>,
): Promise<boolean> {
  return (await unchangedQuery(db).execute({ id, generation })).length > 0;
}
