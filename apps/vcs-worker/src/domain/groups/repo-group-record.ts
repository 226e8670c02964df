import { toTimestamp, type RepoGroupRecord } from '@trunkline/contracts';
import type { RepoGroupRow } from './repo-group-read-store.ts';

/** Returns the record of a repository group, without members. */
export function toRepoGroupRecord(row: RepoGroupRow, repositoryNames: string[] = []): RepoGroupRecord {
  return {
    group_id: row.id,
    group_name: row.name,
    group_description: row.description,
    parent_group: row.parent,
    repositories: repositoryNames,
    owner: row.owner,
    created_on: toTimestamp(row.createdAt),
  };
}
