import { Semaphore } from '@trunkline/runtime/concurrency';
import type { StoredAt } from '../../../domain/repo/storage-path-store.ts';
import type { Storage } from '../../../storage/storage.ts';

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
