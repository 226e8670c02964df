import {
  type ChangesetRecord,
  type HistoryRecord,
  type Methods,
  type RepositoryRecord,
  type RepositoryWithChangesetRecord,
  type ResultOfMethod,
  toChangesetDate,
  toTimestamp,
} from '@trunkline/contracts';
import { openCloneUri, type SecretVault, type StoredChangeset } from '@trunkline/db';
import type { RepositoryRow } from './repository-store.ts';
import type { Lock } from './repository-lock-store.ts';
import type { HistoryEntry } from '../../vcs/backend.ts';
import { toStoredChangeset } from './recorded-state.ts';

interface CallerRights {
  readonly admin: boolean;
  readonly vault: SecretVault;
}

/** A row whose time of creation may be a time stamp already. */
type RecordRow = Omit<RepositoryRow, 'createdAt'> & { readonly createdAt: Date | string };

/** Returns a repository's record (spec 2.4) without its tip. Only administrators see the remote location's password. */
export function toRepositoryRecord(row: RecordRow, caller: CallerRights): RepositoryRecord {
  return {
    repo_id: row.id,
    repo_name: row.name,
    repo_type: row.type,
    clone_uri: caller.admin ? openCloneUri(row, caller.vault) : row.cloneUri,
    private: row.private,
    created_on: typeof row.createdAt === 'string' ? row.createdAt : toTimestamp(row.createdAt),
    description: row.description,
    landing_rev: row.landingRev,
    owner: row.owner,
    fork_of: row.forkOf,
    enable_downloads: row.enableDownloads,
    enable_locking: row.enableLocking,
    enable_statistics: row.enableStatistics,
  };
}

const emptyRepository: ChangesetRecord = {
  short_id: '0'.repeat(12),
  raw_id: '0'.repeat(40),
  revision: -1,
  message: '',
  date: '1970-01-01T00:00:00',
  author: '',
};

/** Returns a changeset's record; null gives the record that stands for the tip of an empty repository. */
export function toChangesetRecord(changeset: StoredChangeset | null): ChangesetRecord {
  if (!changeset) return emptyRepository;
  return {
    short_id: changeset.rawId.slice(0, 12),
    raw_id: changeset.rawId,
    revision: changeset.revision,
    message: changeset.message,
    date: toChangesetDate(new Date(changeset.date)),
    author: changeset.author,
  };
}

export function toRepositoryWithChangesetRecord(row: RecordRow, caller: CallerRights): RepositoryWithChangesetRecord {
  // A copy would cost half as much as the record itself.
  return Object.assign(toRepositoryRecord(row, caller), { last_changeset: toChangesetRecord(row.lastChangeset) });
}

interface Reader {
  readonly admin: boolean;
  readonly vault: SecretVault;
}

/** Returns the result of `update_repo` for a repository that was updated, and its repository lock. */
export function updateResult(
  row: RepositoryRow,
  held: Lock | null,
  { admin, vault }: Reader,
): ResultOfMethod<Methods['update_repo']> {
  return {
    msg: `updated repo ID:${row.id} ${row.name}`,
    repository: {
      ...toRepositoryWithChangesetRecord(row, { admin, vault }),
      locked_by: held && held.username,
      locked_date: held && held.since.getTime() / 1000,
    },
  };
}

/** Converts a changeset to a record: the members of `last_changeset`, parents, branch and, if they were read, files. */
export function toHistoryRecord({ parents, branch, files, ...changeset }: HistoryEntry): HistoryRecord {
  return {
    ...toChangesetRecord(toStoredChangeset(changeset)),
    parents: [...parents],
    branch,
    ...(files && { added: [...files.added], changed: [...files.changed], removed: [...files.removed] }),
  };
}
