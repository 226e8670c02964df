import { preparedSql, repositories, type Db, type StoredChangeset } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import type { Changeset } from '../../vcs/backend.ts';

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

/** What was read of the bytes of a repository, and in which generation. */
export interface StateOfGeneration extends ReadState {
  readonly id: number;
  readonly generation: number;
}

const isOfRead = sql`id = ${sql.placeholder('readId')}::int and generation = ${sql.placeholder('readGeneration')}::bigint`;
// What was recorded since the read is newer than what was read.
const updateState = preparedSql(sql`
  update ${repositories} set generation = generation + 1,
    last_changeset = case when ${isOfRead} then ${sql.placeholder('tip')}::jsonb else last_changeset end,
    default_branch = case when ${isOfRead} then ${sql.placeholder('defaultBranch')}::text else default_branch end
  where id = ${sql.placeholder('id')}::int`);

/** Records what was read of a repository, if it still has that generation, and begins another generation. */
export async function recordState(db: Db, id: number, state: StateOfGeneration): Promise<void> {
  const { id: readId, generation: readGeneration, defaultBranch } = state;
  const tip = toStoredChangeset(state.tip);
  await updateState(db).execute({ id, readId, readGeneration, tip: tip && JSON.stringify(tip), defaultBranch });
}
