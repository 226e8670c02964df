import { randomUUID } from 'node:crypto';
import {
  operations,
  prepared,
  repositories,
  repositoryMaintenance,
  storages,
  type Db,
  type Transaction,
} from '@trunkline/db';
import { and, asc, eq, gt, isNull, lt, not, or, sql } from 'drizzle-orm';
import { maintenanceFailureText } from '../../domain/repo/failure-texts.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { isSweptBy, type PollerTools, type StorageJob } from './storage-poller.ts';

const { repositoryId, changes, changedAt, triedAt, searchedAt } = repositoryMaintenance;

const countChange = prepared((db) =>
  db
    .insert(repositoryMaintenance)
    .values({ repositoryId: sql.placeholder('id'), changes: 1, changedAt: sql`now()` })
    .onConflictDoUpdate({ target: repositoryId, set: { changes: sql`${changes} + 1`, changedAt: sql`now()` } })
    .prepare('count_change'),
);

/** Records a change of a repository's files, in the transaction that records the change itself. */
export async function recordFileChange(tx: Transaction, id: number): Promise<void> {
  await countChange(tx).execute({ id });
}

/** Has a repository maintained before all others. */
export async function requestMaintenance(db: Db, id: number): Promise<void> {
  const due = { changes: sql`${changes} + 1`, changedAt: sql`'epoch'` };
  await db
    .insert(repositoryMaintenance)
    .values({ repositoryId: id, ...due, changes: 1 })
    .onConflictDoUpdate({ target: repositoryId, set: due });
}

/** When a repository is to be maintained. */
interface MaintenanceRules {
  readonly changesMin: number;
  readonly quietSeconds: number;
  readonly unreachableDays: number;
  /** Bytes that stay free on a storage. */
  readonly freeBytesMin: number;
}

const ago = (seconds: number) => sql`now() - make_interval(secs => ${seconds})`;
/** Time before a repository whose maintenance has failed is tried again. */
const againSeconds = 3_600;

/**
 * Locks the next repository of a storage that is to be maintained, the one first that was not changed for longest, and
 * records the attempt. Finds none when the storage is not to be maintained, or not by this worker.
 */
async function lockNext(
  tx: Transaction,
  { storageId, worker }: { readonly storageId: string; readonly worker: string },
  { changesMin, quietSeconds, unreachableDays, freeBytesMin }: MaintenanceRules,
) {
  const isDue = or(sql`${changes} >= ${changesMin}`, lt(changedAt, ago(quietSeconds)));
  const isRunning = sql`exists (select 1 from ${operations} o where o.repository_id = ${repositoryId}
    and o.state = 'running' and o.kind in ('maintain', 'move'))`;
  const share = freeBytesMin === 0 ? sql`0` : sql`greatest(${freeBytesMin}, ${storages.capacityBytes} / 100)`;
  const [next] = await tx
    .select({
      id: repositories.id,
      name: repositories.name,
      searches: sql<boolean>`${searchedAt} < ${ago(unreachableDays * 86_400)}`,
    })
    .from(repositoryMaintenance)
    .innerJoin(repositories, eq(repositories.id, repositoryId))
    .innerJoin(storages, eq(storages.id, repositories.storageId))
    .where(
      and(
        gt(changes, 0),
        isDue,
        or(isNull(triedAt), lt(triedAt, ago(againSeconds))),
        eq(repositories.state, 'ready'),
        not(isRunning),
        isSweptBy(storageId, worker),
        eq(storages.state, 'active'),
        storages.maintenance,
        sql`${storages.freeBytes} > ${share} + coalesce(${repositories.sizeBytes}, 0)`,
      ),
    )
    .orderBy(asc(changedAt))
    .limit(1)
    .for('update', { of: repositories, skipLocked: true });
  if (next)
    await tx
      .update(repositoryMaintenance)
      .set({ triedAt: sql`now()` })
      .where(eq(repositoryId, next.id));
  return next;
}

/** Returns how many changes of a repository's files its maintenance will have seen. */
export async function countChanges(db: Db, id: number): Promise<number> {
  const [row] = await db.select({ changes }).from(repositoryMaintenance).where(eq(repositoryId, id));
  return row?.changes ?? 0;
}

/** Records the end of a maintenance that has seen so many changes, and has perhaps looked for unreachable objects. */
export async function recordMaintained(
  tx: Transaction,
  id: number,
  { seen, searched }: { readonly seen: number; readonly searched: boolean },
): Promise<void> {
  await tx
    .update(repositoryMaintenance)
    .set({
      changes: sql`greatest(0, ${changes} - ${seen})`,
      triedAt: null,
      ...(searched && { searchedAt: sql`now()` }),
    })
    .where(eq(repositoryId, id));
}

/** Asks for the end of a maintenance that the service has begun by itself; returns whether there is one. */
export async function cancelAutomatic(tx: Db, id: number): Promise<boolean> {
  const isAutomatic = and(eq(operations.kind, 'maintain'), isNull(operations.actorId));
  const cancelled = await tx
    .update(operations)
    .set({ cancelRequestedAt: sql`now()` })
    .where(and(eq(operations.repositoryId, id), eq(operations.state, 'running'), isAutomatic))
    .returning({ id: operations.id });
  return cancelled.length > 0;
}

/** Maintains the repositories of a storage that are due, one at a time in the whole worker. */
export function maintenanceJob({ transactions, engine, worker }: PollerTools, rules: MaintenanceRules): StorageJob {
  const beginNext = async (storageId: string, tx: Transaction): Promise<ClaimedOperation | null> => {
    const repository = await lockNext(tx, { storageId, worker }, rules);
    if (!repository) return null;
    const { id, name, searches } = repository;
    return engine.begin(tx, {
      id: randomUUID(),
      kind: 'maintain',
      repositoryId: id,
      exclusive: false,
      actorId: null,
      request: { name, unreachable: searches ? 'aged' : 'kept' },
      busyText: maintenanceFailureText(name),
    });
  };
  return {
    begin: (storageId) => transactions.runWithoutCall((tx) => beginNext(storageId, tx)),
    failureText: 'repository could not be maintained',
    atOnce: 1,
    msMax: 60_000,
    oneAtATimeIn: 'worker',
  };
}
