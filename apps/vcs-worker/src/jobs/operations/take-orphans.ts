import { operationKinds, type Database } from '@trunkline/db';
import { Semaphore } from '@trunkline/runtime/concurrency';
import { claimOrphans } from './claim-orphans.ts';
import type { ClaimedOperation, OperationKind } from './claimed-operation.ts';

/** Kinds that may run for hours, since they read from remotes or copy and rewrite whole repositories. */
const longKinds: readonly OperationKind[] = [
  'adopt',
  'import',
  'fork',
  'pull',
  'move',
  'maintain',
  'replace',
  'verify',
];
const shortKinds = operationKinds.filter((kind) => !longKinds.includes(kind));

export interface OrphanTaker {
  /** Claims operations of a storage whose worker is gone, and begins to end them. */
  take(storageId: string): Promise<void>;
  /** Resolves when all that were taken have ended. */
  settled(): Promise<unknown>;
}

interface OrphanTakerOptions {
  readonly db: Database;
  readonly self: { readonly id: string; readonly leaseSeconds: number };
  /** Number of long operations, and number of short ones, that run at the same time. */
  readonly slots: number;
  readonly storageCount: number;
  /** Called when a slot is free again and a storage had more operations than slots: an import leaves a thousand at once. */
  readonly takeMore: (storageId: string) => void;
  /** Ends an operation; does not reject. */
  readonly takeOver: (operation: ClaimedOperation) => Promise<void>;
}

/**
 * Takes over operations whose worker is gone. Short ones, for whose repositories others wait, have slots of their own. Of the
 * slots for long ones, half at most go to the operations of one user.
 */
export function createOrphanTaker(options: OrphanTakerOptions): OrphanTaker {
  const { db, self, slots, storageCount, takeMore, takeOver } = options;
  const running = { long: new Set<Promise<void>>(), short: new Set<Promise<void>>() };
  /** The storages of which all free slots were taken: they may have more. */
  const cutOff = new Set<string>();
  const claim = async (size: keyof typeof running, storageId: string, limit: number): Promise<number> => {
    const kinds = size === 'long' ? longKinds : shortKinds;
    const userMax = size === 'long' ? Math.max(1, Math.floor(slots / 2)) : slots;
    const claimed = await claimOrphans(db, self, { storageId, kinds, limit, userMax });
    for (const operation of claimed) {
      const work = takeOver(operation).finally(() => {
        running[size].delete(work);
        const waiting = [...cutOff];
        cutOff.clear();
        waiting.forEach(takeMore);
      });
      running[size].add(work);
    }
    return claimed.length;
  };
  const takeFree = async (storageId: string) => {
    cutOff.delete(storageId);
    const free = slots - running.short.size;
    if (free === 0 || (await claim('short', storageId, free)) === free) cutOff.add(storageId);
    // One at a time, because a claim does not count the operations that it claims itself.
    while (running.long.size < slots) {
      if ((await claim('long', storageId, 1)) > 0) continue;
      // Operations of a user who has a full share may be left.
      if (running.long.size > 0) cutOff.add(storageId);
      return;
    }
    cutOff.add(storageId);
  };
  // One claim at a time, which sees how many slots the one before has left.
  const claims = new Semaphore({ limit: 1, queueMax: 2 * storageCount, refuse: (reason) => new Error(reason) });
  return {
    take: (storageId) => claims.run(() => takeFree(storageId)),
    settled: () => Promise.all([...running.long, ...running.short]),
  };
}
