import { names, repositories, type Transaction } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';

export interface FamilyMember {
  readonly id: number;
  readonly name: string;
  readonly forkOfId: number | null;
}

/** A repository and, breadth first, everything that was forked from it; locked against other changes, in id order. */
export async function withForks(tx: Transaction, repositoryId: number): Promise<FamilyMember[]> {
  const family: FamilyMember[] = [];
  let generation = [repositoryId];
  let column: typeof repositories.id | typeof repositories.forkOfId = repositories.id;
  while (generation.length > 0) {
    const rows = await tx
      .select({ id: repositories.id, name: repositories.name, forkOfId: repositories.forkOfId })
      .from(repositories)
      .where(inArray(column, generation))
      .orderBy(repositories.id)
      .for('update');
    family.push(...rows);
    generation = rows.map(({ id }) => id);
    column = repositories.forkOfId;
  }
  return family;
}

/** From here on these repositories do not exist for anybody; their names stay taken until their bytes are gone. */
export async function markDeleting(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx
    .update(repositories)
    .set({ state: 'deleting' })
    .where(inArray(repositories.id, [...ids]));
}

/** A deletion that could not be done: the repository is as it was. */
export async function unmarkDeleting(tx: Transaction, repositoryId: number): Promise<void> {
  await tx
    .update(repositories)
    .set({ state: 'ready' })
    .where(and(eq(repositories.id, repositoryId), eq(repositories.state, 'deleting')));
}

/** Removes a repository's rows and frees its name; forks it still has stand on their own. */
export async function removeRepository(tx: Transaction, repositoryId: number): Promise<void> {
  const removed = await tx
    .delete(repositories)
    .where(eq(repositories.id, repositoryId))
    .returning({ name: repositories.name });
  await tx.delete(names).where(
    inArray(
      names.path,
      removed.map(({ name }) => name),
    ),
  );
}
