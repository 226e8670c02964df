import {
  ConflictError,
  OperationFailedError,
  UnavailableError,
  type CopyAction,
  type CopyRequest,
} from '@trunkline/contracts';
import type { Database } from '@trunkline/db';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoint } from '../crash-points.ts';
import { hasCode } from '../has-code.ts';
import { measureSize } from '../storage/measure-size.ts';
import { requireSpace, requireWritable } from '../storage/require-storage.ts';
import type { ServedStorage } from '../storage/storages.ts';
import type { VcsBackend } from '../vcs/backend.ts';
import { VcsError, type VcsErrorKind } from '../vcs/vcs-error.ts';
import { copiedState } from './tree-state.ts';
import { requireAttempt, requireVacant } from './attempt-store.ts';
import { BrokenStreamError, type PieceReader } from './stream/frames.ts';
import type { HandedFiles } from './stream/handed-files.ts';
import { writeTree, type Arrived } from './stream/write-tree.ts';

export interface ArrivalTools {
  readonly db: Database;
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
}

/** What the other worker sends. */
export interface Incoming {
  readonly reader: PieceReader;
  /** Aborts when the connection is lost. */
  readonly signal: AbortSignal;
  /** Large files of a sender in this process. */
  readonly handed?: HandedFiles;
}

type Request<Kind extends CopyAction['kind']> = CopyRequest & {
  readonly action: Extract<CopyAction, { readonly kind: Kind }>;
};

const treeOf = ({ storage }: ServedStorage, { operationId, attempt }: CopyRequest) =>
  join(storage.staging(operationId, attempt), 'tree');

/** Converts errors of a full disk, and of a stream of another release, to what the operation records. */
function toClientError(error: unknown, { storage }: ServedStorage): unknown {
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return new ConflictError(`Storage \`${storage.name}\` is full`);
  if (error instanceof BrokenStreamError)
    return new OperationFailedError('The copy of the repository was cut off', { cause: error });
  return error;
}

/**
 * Clears what earlier attempts have staged and published. The staging directory of this attempt must not exist: it stays
 * until the operation has ended, so that a request that is replayed does not remove what was published since.
 */
export async function beginArrival(
  { db }: ArrivalTools,
  served: ServedStorage,
  request: Request<'begin'>,
): Promise<null> {
  const { storage } = served;
  const { operationId, attempt, storagePath } = request;
  await requireWritable(db, storage.id);
  await requireSpace(served, request.action.bytes ?? 0);
  await storage.fenceAttempts(operationId, attempt);
  const staging = storage.staging(operationId, attempt);
  const replaced = join(staging, 'replaced');
  const release = await storage.moveLocks.acquire(operationId);
  try {
    // Under the lock: an attempt that was suspended until a later one has published must remove nothing.
    await requireAttempt(db, request);
    await requireVacant(db, storage.id, storagePath);
    await mkdir(staging).catch((error: unknown) => {
      throw hasCode(error, 'EEXIST') ? new ConflictError('The attempt has begun before') : error;
    });
    if (await storage.exists(storagePath)) await rename(storage.absolute(storagePath), replaced);
  } finally {
    await release();
  }
  await rm(replaced, { recursive: true, force: true });
  return null;
}

/** Writes the tree that comes. */
export async function receiveArrival(
  served: ServedStorage,
  request: Request<'send'>,
  { reader, signal, handed }: Incoming,
): Promise<Arrived> {
  const { storage } = served;
  try {
    const linkSources = await Promise.all(request.action.linkSources.map((path) => storage.plainPath(path)));
    const path = treeOf(served, request);
    const arrived = await writeTree(reader, {
      path,
      linkSources,
      signal,
      handed,
      requireSpace: (bytes) => requireSpace(served, bytes),
    });
    crashPoint('copy.received');
    return arrived;
  } catch (error) {
    throw toClientError(error, served);
  }
}

/** Kinds of errors that say nothing of the tree, and that may not come again. */
const passing: readonly VcsErrorKind[] = ['busy', 'timeout', 'cancelled'];

/** Converts the error of a check to what the sender is told: whether the tree is damaged, or was not read. */
export function toCheckError(error: unknown): unknown {
  if (!(error instanceof VcsError)) return error;
  if (passing.includes(error.kind)) return new UnavailableError({ cause: error });
  return new OperationFailedError('The copy of the repository is damaged', { cause: error });
}

/** Reads the staged tree, all of it if the check is a full one. */
export async function checkArrival(
  { backends }: ArrivalTools,
  served: ServedStorage,
  request: Request<'check'>,
  signal: AbortSignal,
) {
  const { type, full } = request.action;
  const path = treeOf(served, request);
  try {
    if (full) await backends[type].verify(path, signal);
    return await copiedState(backends[type], path, signal);
  } catch (error) {
    throw toCheckError(error);
  }
}

/**
 * Syncs the staged tree and renames it to its path, unless another attempt has begun: an attempt that was suspended
 * either renames before a later one looks, or is refused.
 */
export async function publishArrival(
  { db }: ArrivalTools,
  served: ServedStorage,
  request: Request<'publish'>,
  signal: AbortSignal,
) {
  const { storage } = served;
  const { operationId, storagePath } = request;
  await storage.publish(treeOf(served, request), storagePath, signal, async (move) => {
    const release = await storage.moveLocks.acquire(operationId);
    try {
      await requireAttempt(db, request);
      signal.throwIfAborted();
      await move();
    } finally {
      await release();
    }
  });
  return { sizeBytes: await measureSize(storage.absolute(storagePath)) };
}
