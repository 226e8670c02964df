import { randomUUID } from 'node:crypto';
import { databaseTime } from '@trunkline/db';
import { endedBefore } from '../../jobs/operations/operation-end.ts';
import { readCopyPaths } from '../../domain/repo/repository-copy-store.ts';
import { findStored, isStored, readStored, type StoredAt } from '../../domain/repo/storage-path-store.ts';
import { hasCode } from '../../has-code.ts';
import { isWritable } from '../require-storage.ts';
import { uuidIn, type Survey } from '../survey.ts';
import { findingsMax, waking, type DiskFinder, type Finding, type Repair } from './finding.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Returns the entries that still exist. An entry that moved since the listing belongs to a running operation. */
async function stillThere<T extends { readonly path: string }>({ storage, signal }: DiskFinder, entries: readonly T[]) {
  const there: (T & { readonly since: Date })[] = [];
  for (const entry of entries) {
    signal.throwIfAborted();
    const since = await storage.changedAt(entry.path);
    if (since) there.push({ ...entry, since });
  }
  return there;
}

/** Returns a repair that writes to the storage; none while operators do not let the service write there. */
async function writing({ db, storage }: DiskFinder): Promise<(repair: Repair) => Repair | undefined> {
  const offered = await isWritable(db, storage.id);
  return ({ text, act }) =>
    offered ? { text, act: async () => (await isWritable(db, storage.id)) && act() } : undefined;
}

/** Counts what lies in a directory that this worker may not read as existing. */
async function existsOrHidden(storage: DiskFinder['storage'], path: string): Promise<boolean> {
  try {
    return await storage.exists(path);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) return true;
    throw error;
  }
}

/**
 * Compares directories with rows. Rows are created before bytes and deleted after them, so directories are listed first
 * and rows are read then.
 */
async function findRepositories(finder: DiskFinder, { repositories }: Survey): Promise<Finding[]> {
  const { db, storage, now, signal } = finder;
  const listed = new Set(repositories);
  const unclaimed = new Set(repositories);
  // Read before and after the rows: a move that ends in between makes a copy the repository, or the other way round.
  const claimCopies = async () => {
    for (const path of await readCopyPaths(db, storage.id)) unclaimed.delete(path);
  };
  await claimCopies();
  const isMissing = async ({ state, storagePath }: StoredAt) =>
    state === 'ready' && !listed.has(storagePath) && !(await existsOrHidden(storage, storagePath));
  const missing: StoredAt[] = [];
  const look = async (one: StoredAt) => {
    signal.throwIfAborted();
    unclaimed.delete(one.storagePath);
    if (missing.length > findingsMax || !(await isMissing(one))) return;
    // A deletion or move that began after the reading has moved the directory, and its row is another one.
    const again = await findStored(db, storage.id, one.id);
    if (again && (await isMissing(again))) missing.push(again);
  };
  for await (const page of readStored(db, storage.id)) for (const one of page) await look(one);
  await claimCopies();
  const unknown = [...unclaimed].map((path) => ({ path }));
  const repairing = await writing(finder);

  return [
    ...missing.map(({ id, name, storagePath }): Finding => ({
      kind: 'repository_without_bytes',
      repositoryId: id,
      name,
      path: storagePath,
      msg: 'The directory of the repository is missing. Restore it, or remove the repository with rescan_repos and remove_obsolete.',
    })),
    ...(await stillThere(finder, unknown)).map(({ path, since }): Finding => {
      const isOld = now.getTime() - since.getTime() > hourMs;
      const moves = async () => {
        if (await isStored(db, storage.id, path)) return false;
        // The trash names an entry by its operation: the uuid in the path stands for it.
        await storage.trash(path, uuidIn(path) ?? randomUUID(), await databaseTime(db));
        return true;
      };
      const whenOld = isOld ? '' : ' It can be moved to the trash when it is an hour old.';
      return {
        kind: 'directory_without_repository',
        path,
        since,
        msg: `This directory belongs to no repository.${whenOld}`,
        repair: isOld ? repairing({ text: 'moves it to the trash', act: moves }) : undefined,
      };
    }),
  ];
}

async function findStaged(finder: DiskFinder, { staged }: Survey): Promise<Finding[]> {
  const { db, storage } = finder;
  const ended = new Set(await endedBefore(db, [...new Set(staged.map(({ operationId }) => operationId))]));
  const abandoned = staged.filter(({ operationId }) => ended.has(operationId));
  const repairing = await writing(finder);
  return (await stillThere(finder, abandoned)).map(({ path, operationId, since }) => ({
    kind: 'staging_without_operation',
    path,
    operationId,
    since,
    msg: 'Unfinished files of an operation that is no longer running.',
    repair: repairing({
      text: 'deletes them',
      act: async () => {
        await storage.clearStaging(operationId);
        return true;
      },
    }),
  }));
}

/** Finds entries that are an hour overdue: workers empty the trash every few seconds, but large trees take minutes. */
async function findTrashed(finder: DiskFinder, { trashed }: Survey): Promise<Finding[]> {
  const { trashDays, now, wakeSweepers } = finder;
  /** Returns the milliseconds since the entry was due; one of time 0, from staging, was due at once. */
  const dueFor = ({ time, since }: { time: number; since: Date }) =>
    now.getTime() - (time === 0 ? since.getTime() : time + trashDays * dayMs);
  const overdue = (await stillThere(finder, trashed)).filter((entry) => dueFor(entry) > hourMs);
  return overdue.map(({ path, operationId, since, time }) => ({
    kind: 'trash_overdue',
    path,
    operationId,
    since: time === 0 ? since : new Date(time),
    msg: 'The entry has been in the trash for longer than configured. The logs of the workers show why.',
    repair: waking(wakeSweepers, 'wakes the workers to empty the trash'),
  }));
}

/** Finds directories in the storage without a row, and rows without their directory. */
export async function findOnDisk(finder: DiskFinder): Promise<Finding[]> {
  const survey = await finder.storage.survey();
  const foreign = await stillThere(
    finder,
    survey.foreign.map((path) => ({ path })),
  );
  return [
    ...(await findRepositories(finder, survey)),
    ...(await findStaged(finder, survey)),
    ...(await findTrashed(finder, survey)),
    ...survey.inaccessible.map(({ path, problem }): Finding => {
      const msg = `This directory ${problem}. Make that user the owner of it and of all below it (chown -R).`;
      return { kind: 'directory_without_access', path, msg };
    }),
    ...foreign.map(({ path, since }): Finding => {
      return { kind: 'unknown_entry', path, since, msg: 'The service did not create this entry.' };
    }),
  ];
}
