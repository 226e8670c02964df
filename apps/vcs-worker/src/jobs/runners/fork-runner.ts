import { setTimeout as wait } from 'node:timers/promises';
import { ConflictError } from '@trunkline/contracts';
import { repositories, repositoryCopies, storages as storageTable, type StoredChangeset } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, OperationRunner, ReportProgress } from '../operations/claimed-operation.ts';
import { claimRepair } from '../operations/operation-store.ts';
import {
  completeChange,
  finishOperation,
  indexHistory,
  loadRepository,
  nameIn,
  type RunnerTools,
} from './runner-tools.ts';
import { repairRepository } from './repair-repository.ts';
import { copiedState } from '../../copies/tree-state.ts';
import type { CopyTarget } from '../../copies/copies.ts';
import { recordFileChange } from '../storage-jobs/maintenance-job.ts';
import { measureSize } from '../../storage/measure-size.ts';
import { forkFailureText, withDiskFailure, withRemoteFailure } from '../../domain/repo/failure-texts.ts';
import { requireRecordedTip } from '../../domain/repo/recorded-state.ts';
import { undoCreation } from './creation-runner.ts';

interface Source {
  readonly path: string;
  readonly lastChangeset: StoredChangeset | null;
}

const readAgainMs = 200;

/** Reads the source; returns it, and whether this fork has claimed its repair. */
async function readSource({ transactions, worker }: RunnerTools, operation: ClaimedOperation) {
  const ofSource = eq(repositories.id, operation.sourceRepositoryId ?? 0);
  return transactions.runWithoutCall(async (tx) => {
    const [source] = await tx.select().from(repositories).where(ofSource).for('no key update');
    if (!source) throw new Error(`operation ${operation.id} has no source`);
    const repairs = source.needsRecovery && (await claimRepair(tx, operation, worker));
    return { source, repairs };
  });
}

/**
 * Returns the source of a fork, which is neither deleted nor changed while the fork's operation runs. Of several
 * concurrent forks one repairs the source after an interrupted write, without a transaction; the others wait.
 */
export async function repairedForkSource(
  tools: RunnerTools,
  operation: ClaimedOperation,
  signal: AbortSignal,
): Promise<Source> {
  for (;;) {
    const { source, repairs } = await readSource(tools, operation);
    const path = tools.storages.of(source).absolute(source.storagePath);
    if (repairs) {
      crashPoint('fork.source-chosen');
      return { path, lastChangeset: await repairRepository(tools, operation, source) };
    }
    if (!source.needsRecovery) return { path, lastChangeset: source.lastChangeset };
    await wait(readAgainMs, undefined, { signal });
  }
}

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

/** Copies a fork to its storage, and ends the operation. A sweep clears staging, as that of every operation. */
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
  // Staging does not change, so that one copy is enough.
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
    await recordFileChange(tx, repository.id);
    await tx.delete(repositoryCopies).where(eq(repositoryCopies.operationId, operation.id));
  });
}

function failureTextOf(operation: ClaimedOperation): string {
  return forkFailureText(String(operation.request['source']), nameIn(operation));
}

interface Fork {
  readonly repository: Awaited<ReturnType<typeof loadRepository>>;
  readonly source: Awaited<ReturnType<typeof repairedForkSource>>;
  readonly staging: string;
}

/**
 * Returns the runner that copies a repository to staging, by hard links, and renames the complete copy to its path, or
 * copies it to the storage where it belongs.
 */
export function forkRunner(tools: RunnerTools): OperationRunner {
  const { storages, backends } = tools;

  const build = async (
    operation: ClaimedOperation,
    { repository: { type, uuid }, source, staging }: Fork,
    signal: AbortSignal,
    report: ReportProgress,
  ) => {
    await requireRecordedTip(backends[type], source.path, source.lastChangeset?.rawId ?? null);
    await backends[type].fork(source.path, staging, uuid, signal, report);
    await indexHistory(tools, operation, { type, path: staging }, signal);
    crashPoint('fork.copied');
  };

  return {
    restartable: true,
    failureText: (operation, error) =>
      error instanceof ConflictError
        ? `${failureTextOf(operation)}: ${error.message}`
        : withDiskFailure(failureTextOf(operation), error),
    recordedText: (operation, error) => withRemoteFailure(failureTextOf(operation), error),
    async runAttempt(operation, signal, report) {
      const repository = await loadRepository(tools, operation);
      const { storagePath, storageId } = repository;
      const storage = storages.of(operation);
      const source = await repairedForkSource(tools, operation, signal);
      const staging = storage.staging(operation.id, operation.attempt);
      if (storageId !== operation.storageId) {
        await build(operation, { repository, source, staging }, signal, report);
        const built = { path: staging, repository, lastChangeset: source.lastChangeset };
        return completeElsewhere(tools, operation, built, signal, report);
      }
      // An earlier attempt may have ended after the rename, but before the rename was recorded.
      if (!(await storage.isPublished(storagePath))) {
        await build(operation, { repository, source, staging }, signal, report);
        await storage.publish(staging, storagePath, signal);
      }
      await completeChange(tools, operation, repository, source.lastChangeset);
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
