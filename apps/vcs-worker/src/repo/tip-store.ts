import { repositories, type StoredChangeset, type Transaction } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import type { Changeset } from '../vcs/backend.ts';

/** Converts a changeset to the form of its column: replaces NUL, which changesets may hold and Postgres refuses. */
export function toStoredChangeset(tip: Changeset | null): StoredChangeset | null {
  if (!tip) return null;
  const storable = (text: string) => text.replaceAll('\0', '\uFFFD');
  return { ...tip, author: storable(tip.author), message: storable(tip.message), date: tip.date.getTime() };
}

/** Increments the generation of a repository whose recorded tip is the newest one. */
export async function renewGeneration(tx: Transaction, repositoryId: number): Promise<void> {
  await tx
    .update(repositories)
    .set({ generation: sql`${repositories.generation} + 1` })
    .where(eq(repositories.id, repositoryId));
}

/** What is read of a repository's bytes and recorded in its row. */
export interface ReadState {
  readonly tip: Changeset | null;
  readonly defaultBranch: string | null;
}

/** Records the state of a repository, which is locked and still has the generation of the read, and increments that. */
export async function recordState(
  tx: Transaction,
  repositoryId: number,
  { tip, defaultBranch }: ReadState,
): Promise<void> {
  await tx
    .update(repositories)
    .set({ generation: sql`${repositories.generation} + 1`, lastChangeset: toStoredChangeset(tip), defaultBranch })
    .where(eq(repositories.id, repositoryId));
}
