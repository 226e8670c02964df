import { toChangesetDate, toTimestamp, type ChangesetRecord, type RepositoryRecord } from '@trunkline/contracts';
import type { SecretVault, StoredChangeset } from '@trunkline/db';
import { openCloneUri } from './clone-uri.ts';
import type { RepositoryRow } from './repository-store.ts';

/** Spec 2.4, base fields. Only administrators see the password in a remote location. */
export function toRepositoryRecord(
  row: RepositoryRow,
  viewer: { admin: boolean; vault: SecretVault },
): RepositoryRecord {
  return {
    repo_id: row.id,
    repo_name: row.name,
    repo_type: row.type,
    clone_uri: viewer.admin ? openCloneUri(row, viewer.vault) : row.cloneUri,
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
