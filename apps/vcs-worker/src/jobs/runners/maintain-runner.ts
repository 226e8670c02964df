import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConflictError } from '@trunkline/contracts';
import { repositories, repositoryCopies, type Transaction } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import { countChanges, recordMaintained } from '../storage-jobs/maintenance-job.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import {
  writeAcquired,
  type AcquiredTools,
  withRepositoryAcquired,
  isFree,
  movingText,
  retryUntilFree,
  releaseRepository,
} from './acquire-repository.ts';
import { endOperation, requireLease } from '../operations/operation-store.ts';
import { maintenanceFailureText } from '../../domain/repo/failure-texts.ts';
import { measureSize } from '../../storage/measure-size.ts';
import { WriteLockedError } from '../../vcs/process/acquire-write-lock.ts';
import type { MaintenanceSteps, PackedFiles, Unreachable } from '../../vcs/maintenance.ts';
import { repairRepository } from './repair-repository.ts';
import { loadRepository, nameIn } from './runner-tools.ts';

export interface MaintainTools extends AcquiredTools {
  readonly maintenance: Readonly<Record<'hg' | 'git', MaintenanceSteps>>;
  /** How long unreachable objects are kept after they were found, in milliseconds. */
  readonly unreachableMs: number;
}

type Repository = Awaited<ReturnType<typeof loadRepository>>;

/** How often one maintenance makes new files, because the repository has changed in a way that they do not fit. */
const packedMax = 3;
/** How often it holds the repository, for each of its steps. */
const heldMax = 100;

/** One attempt of a maintenance. */
interface Maintenance {
  readonly operation: ClaimedOperation;
  readonly repository: Repository;
  readonly steps: MaintenanceSteps;
  readonly signal: AbortSignal;
}

function unreachableIn({ request }: ClaimedOperation): Unreachable {
  const { unreachable } = request;
  return unreachable === 'removed' || unreachable === 'aged' ? unreachable : 'kept';
}

/** Has kept answers end, and pushes checked again that were received before. */
async function recordRemoval(tx: Transaction, operation: ClaimedOperation, worker: string): Promise<void> {
  const ofRepository = eq(repositories.id, operation.repositoryId);
  await tx.select({ id: repositories.id }).from(repositories).where(ofRepository).for('no key update');
  await requireLease(tx, operation, worker);
  const next = sql`${repositories.generation} + 1`;
  await tx.update(repositories).set({ generation: next, removedAtGeneration: next }).where(ofRepository);
}

/** Exchanges files while nothing else changes the repository; returns false when they have to be made anew. */
async function exchange(tools: MaintainTools, { operation, repository, signal }: Maintenance, files: PackedFiles) {
  const { transactions, worker } = tools;
  const act = async (): Promise<boolean> => {
    if (!(await files.isCurrent())) return false;
    if (files.removesObjects) await transactions.runWithoutCall((tx) => recordRemoval(tx, operation, worker));
    await files.add();
    crashPoint('maintain.added');
    const isDone = await files.removeReplaced();
    crashPoint('maintain.removed');
    return isDone;
  };
  for (let held = 0; held < heldMax; held += 1) {
    if (!(await files.settle())) return false;
    if (await writeAcquired(tools, operation, repository, { signal, act })) return true;
  }
  throw new ConflictError('it is changed all the time');
}

/** Packs the files of a repository beside it, and exchanges them; returns whether objects were removed. */
async function packFiles(tools: MaintainTools, maintenance: Maintenance): Promise<boolean> {
  const { operation, repository, steps, signal } = maintenance;
  const storage = tools.storages.of(operation);
  const path = storage.absolute(repository.storagePath);
  for (let packed = 1; packed <= packedMax; packed += 1) {
    const staging = join(storage.staging(operation.id, operation.attempt), String(packed));
    const packing = { staging, unreachable: unreachableIn(operation), keptMs: tools.unreachableMs };
    const files = await steps.pack(path, packing, signal);
    if (!files) return false;
    if (await exchange(tools, maintenance, files)) return files.removesObjects;
  }
  throw new ConflictError('it is changed all the time');
}

/** Does what can only be done in place, and leaves the rest to the next maintenance. */
async function tidy(tools: MaintainTools, { operation, repository, steps, signal }: Maintenance): Promise<void> {
  const act = (path: string) => {
    crashPoint('maintain.tidying');
    return steps.tidy(path);
  };
  for (let held = 0; held < heldMax; held += 1) {
    if (await writeAcquired(tools, operation, repository, { signal, act })) return;
  }
}

/** Has the trees that moves have left removed now, since they hold what was to be removed. */
async function removeLeft(tx: Transaction, repositoryId: number): Promise<void> {
  const isLeft = and(eq(repositoryCopies.repositoryId, repositoryId), eq(repositoryCopies.role, 'leaving'));
  await tx
    .update(repositoryCopies)
    .set({ createdAt: sql`'epoch'` })
    .where(isLeft);
}

/** Records the size and the end, once no operation runs that would record the size from before. */
async function complete(
  tools: MaintainTools,
  { operation, signal }: Maintenance,
  { seen, removed }: { readonly seen: number; readonly removed: boolean },
): Promise<void> {
  const { worker, storages, transactions, backends } = tools;
  const id = operation.repositoryId;
  const measure = async () => {
    const { epoch, generation, type, storageId, storagePath, ...known } = await loadRepository(tools, operation);
    if (epoch !== operation.epoch) throw new ConflictError(movingText);
    const path = storages.of({ storageId }).absolute(storagePath);
    const defaultBranch = await backends[type].defaultBranch(path);
    const isMended = defaultBranch !== known.defaultBranch;
    return { generation, isMended, recorded: { defaultBranch, sizeBytes: await measureSize(path) } };
  };
  const end = async (tx: Transaction, measured: Awaited<ReturnType<typeof measure>> | null) => {
    const isAlone = await isFree(tx, operation, worker);
    const ofRepository = eq(repositories.id, id);
    const [row] = await tx.select({ generation: repositories.generation }).from(repositories).where(ofRepository);
    if (measured && !(isAlone && row?.generation === measured.generation)) return false;
    const generation = sql`${repositories.generation} + ${removed || measured?.isMended === true ? 1 : 0}::int`;
    await tx
      .update(repositories)
      .set({ generation, ...measured?.recorded })
      .where(ofRepository);
    await recordMaintained(tx, id, { seen, searched: unreachableIn(operation) !== 'kept' });
    if (removed) await removeLeft(tx, id);
    await endOperation(tx, operation, worker, { state: 'done' });
    return true;
  };
  // A push that began before would record the size that it has predicted.
  for (let tries = 0; tries < heldMax; tries += 1) {
    const measured = await measure();
    if (await transactions.runWithoutCall((tx) => end(tx, measured))) return;
    await retryUntilFree(tools, operation, signal, (tx) => isFree(tx, operation, worker));
  }
  // The next change measures it.
  await transactions.runWithoutCall((tx) => end(tx, null));
}

function failureText(operation: ClaimedOperation, error: unknown): string {
  const text = maintenanceFailureText(nameIn(operation));
  if (error instanceof WriteLockedError) return `${text}: another worker still writes to it`;
  return error instanceof ConflictError ? `${text}: ${error.message}` : text;
}

/**
 * Returns the runner that packs the files of a repository beside it, and holds the repository for moments to exchange
 * them. It leaves a whole repository when it is cut off, so that it can be run again or given up.
 */
export function maintainRunner(tools: MaintainTools): OperationRunner {
  const { transactions, worker, storages } = tools;
  return {
    restartable: true,
    failureText,
    async runAttempt(operation, signal, report) {
      // An earlier attempt may have died while it held the repository.
      if (operation.exclusive) await transactions.runWithoutCall((tx) => releaseRepository(tx, operation, worker));
      const repository = await loadRepository(tools, operation);
      if (repository.epoch !== operation.epoch) throw new ConflictError(movingText);
      const maintenance = { operation, repository, steps: tools.maintenance[repository.type], signal };
      const repair = () => repairRepository(tools, operation, repository);
      if (repository.needsRecovery) await withRepositoryAcquired(tools, operation, signal, repair);
      const seen = await countChanges(tools.db, repository.id);
      report({ phase: 'packing files', done: 0, total: null });
      const removed = await packFiles(tools, maintenance);
      await tidy(tools, maintenance);
      const staging = storages.of(operation).staging(operation.id, operation.attempt);
      await rm(staging, { recursive: true, force: true });
      await complete(tools, maintenance, { seen, removed });
    },
    async undo(operation, error) {
      await storages.of(operation).clearStaging(operation.id);
      await transactions.runWithoutCall((tx) => endOperation(tx, operation, worker, { state: 'failed', error }));
    },
  };
}
