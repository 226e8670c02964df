import { OperationFailedError } from '@trunkline/contracts';
import { crashPoint } from '../../crash-points.ts';
import { listStored, type StoredAt } from '../../repo/storage-path-store.ts';
import type { Storage } from '../../storage/storage.ts';
import type { MethodHandler, OperationContext } from '../context.ts';
import { adoptRepository } from './rescan/adopt-repository.ts';
import { removeObsolete } from './rescan/remove-obsolete.ts';

async function findObsolete(storage: Storage, stored: readonly StoredAt[], force: boolean): Promise<StoredAt[]> {
  const ready = stored.filter(({ state }) => state === 'ready');
  const obsolete: StoredAt[] = [];
  for (const repository of ready) if (!(await storage.exists(repository.storagePath))) obsolete.push(repository);
  // So many missing directories suggest that a part of the storage is not mounted.
  if (!force && obsolete.length > 10 && obsolete.length > ready.length / 10) {
    throw new Error(`${obsolete.length} of ${ready.length} repositories have no directory`);
  }
  return obsolete;
}

async function survey({ db, storage, logger }: OperationContext, force: boolean) {
  const stored = await listStored(db, storage.id);
  const known = new Set(stored.map(({ storagePath }) => storagePath));
  try {
    const obsolete = await findObsolete(storage, stored, force);
    const { found, skipped } = await storage.scan();
    for (const one of skipped) logger.warn(one, 'directory skipped');
    return { obsolete, unknown: found.filter(({ storagePath }) => !known.has(storagePath)) };
  } catch (cause) {
    throw new OperationFailedError('Error occurred during rescan repositories action', { cause });
  }
}

export const rescanRepos: MethodHandler<'rescan_repos'> = async (args, context) => {
  // Checks the rights and writes the call to the audit log, but begins nothing, before the storage is read.
  await context.runOperation(async () => {});
  const { obsolete, unknown } = await survey(context, args.force);

  // Obsolete repositories are removed before others are adopted, so that the name of a moved directory is free.
  const removed: string[] = [];
  for (const repository of args.remove_obsolete ? obsolete : []) {
    if (await removeObsolete(context, repository)) removed.push(repository.name);
  }
  const added: string[] = [];
  for (const found of unknown) {
    const name = await adoptRepository(context, found);
    if (name !== undefined) added.push(name);
    crashPoint('rescan.adopted');
  }
  return { added, removed };
};
