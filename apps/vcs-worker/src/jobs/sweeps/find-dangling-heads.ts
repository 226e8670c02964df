import { repositories, type Database } from '@trunkline/db';
import { and, eq, gt, isNotNull } from 'drizzle-orm';
import type { Storage } from '../../storage/storage.ts';
import type { VcsBackend } from '../../vcs/backend.ts';
import { requestMaintenance } from '../storage-jobs/maintenance-job.ts';

interface FindTools {
  readonly db: Database;
  readonly git: Pick<VcsBackend, 'isHeadDangling'>;
  readonly stopping: AbortSignal;
}

const rowsMax = 100;

/**
 * Has the git repositories of a storage maintained, and thereby mended, whose HEAD leads to no branch: earlier releases
 * have left copies of remotes so, of which clones check out nothing.
 */
export async function findDanglingHeads(
  { db, git, stopping }: FindTools,
  storage: Pick<Storage, 'id' | 'absolute'>,
): Promise<void> {
  const { id, storageId, storagePath, state, type, lastChangeset } = repositories;
  const isUsed = and(eq(storageId, storage.id), eq(type, 'git'), eq(state, 'ready'), isNotNull(lastChangeset));
  for (let after = 0; ;) {
    const rows = await db
      .select({ id, storagePath })
      .from(repositories)
      .where(and(isUsed, gt(id, after)))
      .orderBy(id)
      .limit(rowsMax);
    for (const row of rows) {
      if (stopping.aborted) return;
      after = row.id;
      const isDangling = await git.isHeadDangling(storage.absolute(row.storagePath)).catch(() => false);
      if (isDangling) await requestMaintenance(db, row.id);
    }
    if (rows.length < rowsMax) return;
  }
}
