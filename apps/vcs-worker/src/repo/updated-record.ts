import type { ResultOfMethod, Methods } from '@trunkline/contracts';
import type { Db, SecretVault } from '@trunkline/db';
import { findLock } from './lock-store.ts';
import { toRepositoryWithChangesetRecord } from './repository-record.ts';
import type { RepositoryRow } from './repository-store.ts';

interface Reader {
  readonly db: Db;
  readonly admin: boolean;
  readonly vault: SecretVault;
}

/** Returns the result of `update_repo` for a repository that was updated. */
export async function updateResult(
  row: RepositoryRow,
  { db, admin, vault }: Reader,
): Promise<ResultOfMethod<Methods['update_repo']>> {
  const held = await findLock(db, row.id);
  return {
    msg: `updated repo ID:${row.id} ${row.name}`,
    repository: {
      ...toRepositoryWithChangesetRecord(row, { admin, vault }),
      locked_by: held && held.username,
      locked_date: held && held.since.getTime() / 1000,
    },
  };
}
