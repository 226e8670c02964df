import { repositories, type StoredChangeset, type Transaction } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import type { Changeset } from '../vcs/backend.ts';

/** A changeset as its column keeps it; Postgres stores no NUL, a changeset may hold one. */
export function toStoredChangeset(tip: Changeset | null): StoredChangeset | null {
  if (!tip) return null;
  const storable = (text: string) => text.replaceAll('\0', '\uFFFD');
  return { ...tip, author: storable(tip.author), message: storable(tip.message), date: tip.date.getTime() };
}

/** Records the newest changeset of a repository, which was held while it was read, and begins a new generation. */
export async function recordTip(tx: Transaction, repositoryId: number, tip: Changeset | null): Promise<void> {
  await tx
    .update(repositories)
    .set({ generation: sql`${repositories.generation} + 1`, lastChangeset: toStoredChangeset(tip) })
    .where(eq(repositories.id, repositoryId));
}
