import { ConflictError, UnavailableError } from '@trunkline/contracts';
import type { repositories } from '@trunkline/db';
import { changeTimeOf, copiedState } from '../../copies/tree-state.ts';
import type { Copies, CopyTarget, SentTree } from '../../copies/copies.ts';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { acquireRepository, releaseRepository } from './acquire-repository.ts';
import type { WaitForOperationEnd } from '../operations/operation-end.ts';
import { moveFailureText, targetAway } from '../../domain/repo/failure-texts.ts';
import { findArriving, listLeftRelatives, switchToArrived } from '../../domain/repo/repository-copy-store.ts';
import { repairRepository } from './repair-repository.ts';
import { finishOperation, loadRepository, nameIn, withWriteLock, type RunnerTools } from './runner-tools.ts';

export interface MoveTools extends RunnerTools {
  readonly copies: Copies;
  readonly waitForOperationEnd: WaitForOperationEnd;
}

/** Time for the copy of what has changed, during which calls that change the repository wait. */
const exclusiveMsMax = 600_000;

type Repository = typeof repositories.$inferSelect;

/** One attempt of a move: what it copies, and where to. */
interface Move {
  readonly operation: ClaimedOperation;
  readonly target: CopyTarget;
  readonly to: NonNullable<Awaited<ReturnType<typeof findArriving>>>;
}

async function loadMove({ db }: MoveTools, operation: ClaimedOperation): Promise<Move> {
  const to = await findArriving(db, operation.id);
  if (!to) throw new Error(`operation ${operation.id} has no copy`);
  const { id: operationId, attempt } = operation;
  return { operation, to, target: { storage: to.storage, operationId, attempt, storagePath: to.storagePath } };
}

/** Returns the tree of a repository, and the trees of which files are at the target already. */
async function treeOf(
  { db, storages }: MoveTools,
  repository: Repository,
  { to }: Move,
): Promise<Omit<SentTree, 'changedSince'>> {
  const storage = storages.of(repository);
  const relatives = await listLeftRelatives(db, repository, to.storageId);
  return {
    path: storage.absolute(repository.storagePath),
    type: repository.type,
    linkSources: relatives.map(({ leftPath, storagePath }) => ({ path: storage.absolute(leftPath), storagePath })),
  };
}

/** Copies what has changed since the first copy, compares the copy with the repository and publishes it. */
async function completeCopy(
  { copies, backends }: MoveTools,
  { target }: Move,
  tree: SentTree,
  tip: string | null,
  signal: AbortSignal,
): Promise<number | null> {
  const { type, path } = tree;
  const sent = await copies.send(target, tree, signal);
  crashPoint('move.sent');
  const found = await copies.check(target, type, sent.files > 0, signal);
  const expected = await copiedState(backends[type], path, signal);
  if (found.tip !== expected.tip || found.tip !== tip || found.refs !== expected.refs) {
    throw new Error('the copy has another history than the repository');
  }
  crashPoint('move.checked');
  const { sizeBytes } = await copies.publish(target, signal);
  crashPoint('move.published');
  return sizeBytes;
}

/** Copies the rest while nothing else changes the repository, and makes the copy the repository. */
async function switchOver(tools: MoveTools, move: Move, changedSince: number, signal: AbortSignal): Promise<void> {
  const { operation, to } = move;
  const repository = await loadRepository(tools, operation);
  const lastChangeset = repository.needsRecovery
    ? await repairRepository(tools, operation, repository)
    : repository.lastChangeset;
  const tree = { ...(await treeOf(tools, repository, move)), changedSince };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(exclusiveMsMax)]);
  await withWriteLock(tools, operation, repository, async () => {
    const sizeBytes = await completeCopy(tools, move, tree, lastChangeset?.rawId ?? null, limited);
    await finishOperation(tools, operation, { state: 'done' }, async (tx) => {
      await switchToArrived(tx, { operationId: operation.id, from: repository, to, sizeBytes });
      crashPoint('move.committing');
    });
  });
}

function failureText(operation: ClaimedOperation, error: unknown): string {
  const text = moveFailureText(nameIn(operation), String(operation.request['storage']));
  if (error instanceof UnavailableError) return text + targetAway;
  return error instanceof ConflictError ? `${text}: ${error.message}` : text;
}

/**
 * Returns the runner that copies a repository to another storage while it is read and changed, then excludes changes,
 * copies the rest and switches over. The former tree stays for reads that have begun; a sweep removes it.
 */
export function moveRunner(tools: MoveTools): OperationRunner {
  const { copies, transactions, worker, storages } = tools;
  return {
    restartable: true,
    failureText,
    async runAttempt(operation, signal, report) {
      const move = await loadMove(tools, operation);
      const repository = await loadRepository(tools, operation);
      // An earlier attempt may have excluded others.
      if (operation.exclusive) await transactions.runWithoutCall((tx) => releaseRepository(tx, operation, worker));
      await copies.begin(move.target, repository.sizeBytes, signal);
      crashPoint('move.begun');
      const changedSince = await changeTimeOf(storages.of(operation), operation);
      const tree = { ...(await treeOf(tools, repository, move)), changedSince: null };
      await copies.send(move.target, tree, signal, report);
      crashPoint('move.copied');
      await copies.check(move.target, repository.type, true, signal);
      await acquireRepository(tools, operation, signal);
      crashPoint('move.taken');
      await switchOver(tools, move, changedSince, signal);
    },
    // The copy has no running operation any more: a sweep at the target removes it.
    undo: (operation, error) => finishOperation(tools, operation, { state: 'failed', error }, async () => {}),
  };
}
