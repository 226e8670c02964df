import type { StoredChangeset } from '@trunkline/db';
import type { Changeset } from '../vcs/backend.ts';

/** Converts a changeset to the form of its column: replaces NUL, which changesets may hold and Postgres refuses. */
export function toStoredChangeset(tip: Changeset | null): StoredChangeset | null {
  if (!tip) return null;
  const storable = (text: string) => text.replaceAll('\0', '\uFFFD');
  return { ...tip, author: storable(tip.author), message: storable(tip.message), date: tip.date.getTime() };
}

/** What is read of a repository's bytes and recorded in its row. */
export interface ReadState {
  readonly tip: Changeset | null;
  readonly defaultBranch: string | null;
}
