import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BusyError, ConflictError, type SnapshotHead } from '@trunkline/contracts';
import { databaseTime, type Database } from '@trunkline/db';
import { copiedState } from '../../copies/tree-state.ts';
import { toStoredChangeset } from '../../domain/repo/recorded-state.ts';
import { requireSpace } from '../require-storage.ts';
import type { ServedStorage } from '../storages.ts';
import type { VcsBackend } from '../../vcs/backend.ts';
import { linkTree } from './link-tree.ts';
import { findSource, hasRow, mayHaveChanged, type SnapshotSource } from './snapshot-source.ts';

export interface SnapshotTools {
  readonly db: Database;
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
}

/** The tree of a repository, to which no process writes. */
export interface Snapshot {
  readonly head: SnapshotHead;
  readonly path: string;
  readonly isTransient: (path: string) => boolean;
  remove(): Promise<void>;
}

/** Time in which a repository has to be found that nothing changes meanwhile; the sender of the request may ask again. */
const undisturbedMsMax = 20_000;
const pauseMs = { first: 100, max: 2_000 } as const;

/** Returns the directory of a repository, or of a deleted one. */
async function pathOf({ storage }: ServedStorage, { storagePath, deletion }: SnapshotSource): Promise<string> {
  if (storagePath !== null) return storage.absolute(storagePath);
  const at = deletion === null ? null : await storage.trashedAt(deletion);
  if (at === null) throw new ConflictError('The repository is no longer in the trash');
  return storage.absolute(`@trash/${at}.${deletion}`);
}

async function requireSource({ db }: SnapshotTools, { storage }: ServedStorage, repositoryId: number) {
  const source = await findSource(db, repositoryId);
  if (!source) {
    // It may be on its way to the trash, or back.
    if (await hasRow(db, repositoryId)) throw new BusyError({ quota: 'repository' });
    throw new ConflictError('The repository does not exist, and is not in the trash');
  }
  // The caller looks up where it is now.
  if (source.storageId !== storage.id) throw new BusyError();
  return source;
}

const isSame = (one: SnapshotSource, other: SnapshotSource | undefined) =>
  other !== undefined && JSON.stringify(one) === JSON.stringify(other);

interface Attempt {
  readonly served: ServedStorage;
  readonly repositoryId: number;
  /** Directory for the tree, which exists. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

/** Links the tree; returns its state, or null when something may have changed it meanwhile. */
async function tryOnce(tools: SnapshotTools, attempt: Attempt): Promise<Omit<Snapshot, 'remove'> | null> {
  const { db, backends } = tools;
  const { served, repositoryId, directory, signal } = attempt;
  const since = new Date(await databaseTime(db));
  const source = await requireSource(tools, served, repositoryId);
  const { type, epoch, generation, needsRecovery } = source;
  const changed = () => mayHaveChanged(db, repositoryId, { since, needsRecovery });
  if (await changed()) return null;
  const backend = backends[type];
  const { isTransient } = backend;
  const path = join(directory, 'tree');
  await linkTree(await pathOf(served, source), path, {
    isTransient,
    copies: needsRecovery,
    requireSpace: (bytes) => requireSpace(served, bytes),
    signal,
  });
  const isWhole = await served.storage.isOurs();
  const isUnchanged = isSame(source, await findSource(db, repositoryId));
  if (!isWhole || !isUnchanged || (await changed())) return null;
  if (needsRecovery) {
    await backend.waitForMemory();
    await backend.recover(path);
  }
  const { refs } = await copiedState(backend, path, signal);
  const lastChangeset = toStoredChangeset(await backend.forCall(signal).tip(path));
  const defaultBranch = await backend.defaultBranch(path);
  const head = { epoch, generation, refs, defaultBranch, lastChangeset: lastChangeset && { ...lastChangeset } };
  return { head, path, isTransient };
}

/**
 * Freezes the tree of a repository by hard links in staging, which takes a moment and holds up no write: if an operation
 * may have changed the repository meanwhile, it is done again. Throws BusyError when there is always one.
 */
export async function takeSnapshot(
  tools: SnapshotTools,
  served: ServedStorage,
  repositoryId: number,
  signal: AbortSignal,
): Promise<Snapshot> {
  const until = performance.now() + undisturbedMsMax;
  for (let pause: number = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.max)) {
    // Locked by the kernel while this process lives, as a push's directory is: sweeps remove those of dead processes.
    const directory = await served.storage.pushes.create(randomUUID());
    try {
      const taken = await tryOnce(tools, { served, repositoryId, directory: directory.path, signal });
      if (taken) return { ...taken, remove: () => directory.remove() };
    } catch (error) {
      await directory.remove();
      throw error;
    }
    await directory.remove();
    if (performance.now() + pause > until) throw new BusyError({ quota: 'repository' });
    await sleep(pause, undefined, { signal });
  }
}
