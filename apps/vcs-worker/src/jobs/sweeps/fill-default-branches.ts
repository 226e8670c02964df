import { repositories, type Database } from '@trunkline/db';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Storage } from '../../storage/storage.ts';
import type { VcsBackend } from '../../vcs/backend.ts';

interface FillTools {
  readonly db: Database;
  readonly git: Pick<VcsBackend, 'defaultBranch'>;
  readonly stopping: AbortSignal;
}

const rowsMax = 100;

/** Returns the next git repositories whose default branch is not known, by the index of those alone. */
function nextUnknown(db: Database, storageId: string, after: number) {
  const { id, generation, storagePath, state, type, defaultBranch } = repositories;
  return db
    .select({ id, generation, storagePath, state })
    .from(repositories)
    .where(
      and(eq(repositories.storageId, storageId), sql`${type} = 'git'`, isNull(defaultBranch), sql`${id} > ${after}`),
    )
    .orderBy(id)
    .limit(rowsMax);
}

/**
 * Reads the default branches that earlier releases have not recorded, of the repositories of one storage. One whose HEAD
 * names no branch, or cannot be read, stays unknown.
 */
export async function fillDefaultBranches(
  { db, git, stopping }: FillTools,
  storage: Pick<Storage, 'id' | 'absolute'>,
): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await nextUnknown(db, storage.id, after);
    for (const { id, generation, storagePath, state } of rows) {
      if (stopping.aborted) return;
      after = id;
      if (state !== 'ready') continue;
      const branch = await git.defaultBranch(storage.absolute(storagePath)).catch(() => null);
      if (branch === null) continue;
      // A repository that has changed since has recorded what it has now.
      const asRead = and(eq(repositories.id, id), eq(repositories.generation, generation));
      await db.update(repositories).set({ defaultBranch: branch }).where(asRead);
    }
    if (rows.length < rowsMax) return;
  }
}
