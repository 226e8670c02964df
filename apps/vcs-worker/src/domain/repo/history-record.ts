import type { HistoryRecord } from '@trunkline/contracts';
import type { HistoryEntry } from '../../vcs/backend.ts';
import { toChangesetRecord } from './repository-record.ts';
import { toStoredChangeset } from './tip-store.ts';

/** Converts a changeset to a record: the members of `last_changeset`, parents, branch and, if they were read, files. */
export function toHistoryRecord({ parents, branch, files, ...changeset }: HistoryEntry): HistoryRecord {
  return {
    ...toChangesetRecord(toStoredChangeset(changeset)),
    parents: [...parents],
    branch,
    ...(files && { added: [...files.added], changed: [...files.changed], removed: [...files.removed] }),
  };
}
