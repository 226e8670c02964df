import { type Db, preparedSql, repositories, type StoredChangeset } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import type { Changeset, VcsBackend } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';

const { generation, sizeBytes, lastChangeset, needsRecovery } = repositories;

/** What is recorded of a repository's bytes. */
export type RecordedState = Pick<
  typeof repositories.$inferSelect,
  'generation' | 'sizeBytes' | 'lastChangeset' | 'needsRecovery'
>;

/** Returns what is recorded of a repository's bytes, of one moment; undefined when it is gone. */
export async function readRecordedState(db: Db, repositoryId: number): Promise<RecordedState | undefined> {
  const [row] = await db
    .select({ generation, sizeBytes, lastChangeset, needsRecovery })
    .from(repositories)
    .where(eq(repositories.id, repositoryId));
  return row;
}

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

/**
 * Throws VcsError when the recorded tip is missing: the repository is damaged, and other changesets may be lost, too.
 */
export async function requireRecordedTip(
  backend: Pick<VcsBackend, 'resolveRevision'>,
  path: string,
  rawId: string | null,
): Promise<void> {
  if (rawId === null) return;
  try {
    await backend.resolveRevision(path, rawId);
  } catch (cause) {
    if (cause instanceof VcsError && cause.kind === 'unknown-revision') {
      throw new VcsError('failed', 'the recorded tip is missing', { cause });
    }
    throw cause;
  }
}

/**
 * Reads the newest changeset; null for an empty repository. Throws VcsError when a tip is recorded but the repository
 * is empty, since a repository that had changesets never becomes empty.
 */
export async function readTip(
  backend: Pick<VcsBackend, 'tip'>,
  path: string,
  recordedId: string | null,
): Promise<Changeset | null> {
  const tip = await backend.tip(path);
  if (tip || recordedId === null) return tip;
  throw new VcsError('failed', 'the repository has no changesets any more');
}
