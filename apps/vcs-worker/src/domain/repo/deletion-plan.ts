import { ConflictError } from '@trunkline/contracts';
import { storages as table, type Db } from '@trunkline/db';
import { inArray } from 'drizzle-orm';
import type { Storages } from '../../storage/storages.ts';
import type { FamilyMember } from './deletion-store.ts';

/** Returns the members that have to wait for workers of other storages: they lie there, or one of their forks does. */
export function waitingForOthers(family: readonly FamilyMember[], isElsewhere: (storageId: string) => boolean) {
  const waiting = new Set<number>();
  for (const { id, forkOfId, storageId } of family.toReversed()) {
    if (isElsewhere(storageId)) waiting.add(id);
    if (waiting.has(id) && forkOfId !== null) waiting.add(forkOfId);
  }
  return waiting;
}

/**
 * Returns the ids of those repositories, listed with each fork after its source, whose deletion this worker has to leave
 * to others. Throws ConflictError when the storage of one is away.
 */
export async function unclaimedDeletions(
  db: Db,
  storages: Pick<Storages, 'ids'>,
  family: readonly FamilyMember[],
): Promise<ReadonlySet<number>> {
  const others = [...new Set(family.map(({ storageId }) => storageId))].filter((id) => !storages.ids.includes(id));
  if (others.length === 0) return new Set();
  const rows = await db
    .select({ id: table.id, name: table.name, state: table.state })
    .from(table)
    .where(inArray(table.id, others));
  const offline = rows.find(({ state }) => state === 'offline');
  if (offline) throw new ConflictError(`Storage \`${offline.name}\` is offline`);
  // Rows whose bytes are lost can be removed by any worker.
  const elsewhere = new Set(rows.flatMap(({ id, state }) => (state === 'lost' ? [] : [id])));
  return waitingForOthers(family, (storageId) => elsewhere.has(storageId));
}
