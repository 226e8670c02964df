import { repositories, repositoryCopies, storages as storageTable, type StoredChangeset } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { copiedState } from '../../copies/copied-state.ts';
import type { CopyTarget } from '../../copies/copies.ts';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, ReportProgress } from '../operations/claimed-operation.ts';
import { noteChange } from '../storage-jobs/maintenance-store.ts';
import { measureSize } from '../../storage/measure-size.ts';
import { finishOperation, type RunnerTools } from './runner-tools.ts';

type Repository = typeof repositories.$inferSelect;

/** A fork that is built in staging beside its source, and belongs on another storage. */
interface Built {
  readonly path: string;
  readonly repository: Repository;
  readonly lastChangeset: StoredChangeset | null;
}

/** Returns where the fork arrives. */
async function targetOf(
  { db }: RunnerTools,
  { id: operationId, attempt }: ClaimedOperation,
  { storageId, storagePath }: Repository,
): Promise<CopyTarget> {
  const [row] = await db.select({ name: storageTable.name }).from(storageTable).where(eq(storageTable.id, storageId));
  if (!row) throw new Error(`the storage ${storageId} of a fork has no row`);
  return { storage: row.name, operationId, attempt, storagePath };
}

/** Copies a fork to its storage, and ends the operation. What is left in staging is cleared as that of every operation. */
export async function completeElsewhere(
  tools: RunnerTools,
  operation: ClaimedOperation,
  { path, repository, lastChangeset }: Built,
  signal: AbortSignal,
  report: ReportProgress,
): Promise<void> {
  const { copies, backends } = tools;
  const { type } = repository;
  const target = await targetOf(tools, operation, repository);
  await copies.begin(target, await measureSize(path), signal);
  // Nothing changes in staging, so that one copy is enough.
  await copies.send(target, { path, type, changedSince: null, linkSources: [] }, signal, report);
  const arrived = await copies.check(target, type, true, signal);
  const expected = await copiedState(backends[type], path, signal);
  if (arrived.tip !== expected.tip || arrived.refs !== expected.refs) {
    throw new Error('the copy has another history than the fork');
  }
  const { sizeBytes } = await copies.publish(target, signal);
  crashPoint('fork.published');
  const defaultBranch = await backends[type].defaultBranch(path);
  await finishOperation(tools, operation, { state: 'done' }, async (tx) => {
    await tx
      .update(repositories)
      .set({ state: 'ready', generation: sql`${repositories.generation} + 1`, lastChangeset, defaultBranch, sizeBytes })
      .where(eq(repositories.id, repository.id));
    await noteChange(tx, repository.id);
    await tx.delete(repositoryCopies).where(eq(repositoryCopies.operationId, operation.id));
  });
}
