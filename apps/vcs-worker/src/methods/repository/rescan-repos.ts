import { Semaphore } from '@trunkline/runtime/concurrency';
import { OperationFailedError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import { readStored, type StoredAt } from '../../domain/repo/storage-path-store.ts';
import type { Storage } from '../../storage/storage.ts';
import { crashPoint } from '../../crash-points.ts';
import { readCopyPaths } from '../../domain/repo/repository-copy-store.ts';
import type { MethodHandler, OperationContext } from '../context.ts';
import { adoptRepository, removeObsolete } from './rescan-changes.ts';

/** Looks of a rescan at once: a network file system answers each after a round trip, and other calls need threads, too. */
const looksMax = 8;
const refuse = () => new Error('no turn to look for a directory');

/** Returns those of a page of repositories whose directories are missing, in its order. */
export async function findMissing(
  storage: Pick<Storage, 'exists'>,
  repositories: readonly StoredAt[],
): Promise<StoredAt[]> {
  const turns = new Semaphore({ limit: looksMax, queueMax: repositories.length, refuse });
  const looks = repositories.map(({ storagePath }) => turns.run(() => storage.exists(storagePath)));
  // Where a storage is away each look fails; none goes on after the rescan has ended.
  await Promise.allSettled(looks);
  const exist = await Promise.all(looks);
  return repositories.filter((_, at) => exist[at] === false);
}

/** Returns the paths of a storage's repositories and copies, and those repositories whose directory is missing. */
async function compareStored({ db }: OperationContext, storage: Storage, force: boolean) {
  const known = new Set<string>();
  const obsolete: StoredAt[] = [];
  let ready = 0;
  for await (const page of readStored(db, storage.id)) {
    for (const { storagePath } of page) known.add(storagePath);
    const readyOnes = page.filter(({ state }) => state === 'ready');
    ready += readyOnes.length;
    obsolete.push(...(await findMissing(storage, readyOnes)));
  }
  // Read last: a repository that moves away meanwhile leaves its tree, which must not be adopted.
  for (const path of await readCopyPaths(db, storage.id)) known.add(path);
  // So many missing directories suggest that a part of the storage is not mounted.
  if (!force && obsolete.length > 10 && obsolete.length > ready / 10) {
    throw new Error(`${obsolete.length} of ${ready} repositories have no directory`);
  }
  return { known, obsolete };
}

async function survey(context: OperationContext, storage: Storage, force: boolean) {
  try {
    const { known, obsolete } = await compareStored(context, storage, force);
    const { found, skipped } = await storage.scan();
    for (const one of skipped) context.logger.warn({ storage: storage.name, ...one }, 'directory skipped');
    return { storage, obsolete, unknown: found.filter(({ storagePath }) => !known.has(storagePath)) };
  } catch (cause) {
    if (databaseFailure(cause)) throw cause;
    throw new OperationFailedError('Error occurred during rescan repositories action', { cause });
  }
}

export const rescanRepos: MethodHandler<'rescan_repos'> = async (args, context) => {
  // Checks the rights and writes the call to the audit log, but begins nothing, before the storage is read.
  await context.runOperation({}, async () => {});
  // All storages are read before anything is changed: one that is away ends the rescan.
  const surveys = [];
  for (const { storage } of context.storages.all) surveys.push(await survey(context, storage, args.force));

  // Obsolete repositories are removed before others are adopted, so that the name of a moved directory is free.
  const removed: string[] = [];
  for (const { storage, obsolete } of args.remove_obsolete ? surveys : []) {
    for (const repository of obsolete) {
      if (await removeObsolete(context, storage, repository)) removed.push(repository.name);
    }
  }
  const added: string[] = [];
  for (const { storage, unknown } of surveys) {
    for (const found of unknown) {
      const name = await adoptRepository(context, storage, found);
      if (name !== undefined) added.push(name);
      crashPoint('rescan.adopted');
    }
  }
  return { added, removed };
};
