import type { ResultOfMethod, Methods } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import type { Lock } from './lock-store.ts';
import { toRepositoryWithChangesetRecord } from './repository-record.ts';
import type { RepositoryRow } from './repository-store.ts';

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
