import {
  levelName,
  toChangesetDate,
  toTimestamp,
  type BriefChangeset,
  type ListedRepository,
} from '@trunkline/contracts';
import type { StoredChangeset } from '@trunkline/db';
import type { ListedRow } from './repository-list-store.ts';

/** Returns a changeset with the first line of its message. */
export function toBriefChangeset({
  rawId,
  message,
  author,
  date,
}: Pick<StoredChangeset, 'rawId' | 'message' | 'author' | 'date'>): BriefChangeset {
  return {
    short_id: rawId.slice(0, 12),
    raw_id: rawId,
    message: message.trimStart().split(/\r?\n|\r/, 1)[0] ?? '',
    author,
    date: toChangesetDate(new Date(date)),
  };
}

/** Returns the record of a repository that lists on pages show. */
export function toListedRecord(row: ListedRow): ListedRepository {
  return {
    repo_id: row.id,
    repo_name: row.name,
    repo_type: row.type,
    private: row.private,
    description: row.description,
    owner: row.owner,
    fork_of: row.forkOf,
    locked_by: row.lockedBy,
    last_changeset: row.lastChangeset && toBriefChangeset(row.lastChangeset),
    created_on: toTimestamp(row.createdAt),
    level: levelName(row.level),
  };
}

/**
 * Returns a page of rows, of which one more than the limit was read if there are more, and the cursor of the next page.
 */
export function toListedPage(rows: readonly ListedRow[], limit: number) {
  const shown = rows.slice(0, limit);
  return {
    repositories: shown.map(toListedRecord),
    next: rows.length > limit ? (shown.at(-1)?.name ?? null) : null,
  };
}
