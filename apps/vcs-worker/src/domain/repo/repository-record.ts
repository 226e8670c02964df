import {
  toChangesetDate,
  toTimestamp,
  type ChangesetRecord,
  type RepositoryRecord,
  type RepositoryWithChangesetRecord,
} from '@trunkline/contracts';
import { openCloneUri, type SecretVault, type StoredChangeset } from '@trunkline/db';
import type { RepositoryRow } from './repository-store.ts';

interface CallerRights {
  readonly admin: boolean;
  readonly vault: SecretVault;
}

/** Returns a repository's record (spec 2.4) without its tip. Only administrators see the remote location's password. */
export function toRepositoryRecord(row: RepositoryRow, caller: CallerRights): RepositoryRecord {
  return {
    repo_id: row.id,
    repo_name: row.name,
    repo_type: row.type,
    clone_uri: caller.admin ? openCloneUri(row, caller.vault) : row.cloneUri,
    private: row.private,
    created_on: toTimestamp(row.createdAt),
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

export function toRepositoryWithChangesetRecord(
  row: RepositoryRow,
  caller: CallerRights,
): RepositoryWithChangesetRecord {
  return { ...toRepositoryRecord(row, caller), last_changeset: toChangesetRecord(row.lastChangeset) };
}
