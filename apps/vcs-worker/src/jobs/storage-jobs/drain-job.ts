import { randomUUID } from 'node:crypto';
import { operations, repositories, storages, users, type Db, type Transaction } from '@trunkline/db';
import { sampleByWeight } from '@trunkline/runtime';
import { and, eq, ne, sql } from 'drizzle-orm';
import { recordCall } from '../../domain/audit/audit-store.ts';
import { beginMove } from '../../domain/repo/begin-arrival.ts';
import { targetAway } from '../../domain/repo/failure-texts.ts';
import { idsOfFamilies } from '../../domain/repo/fork-family.ts';
import type { MoveTarget } from '../../storage/require-storage.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { isSweptBy, type PollerTools, type StorageJob } from './storage-poller.ts';

/** Time before a repository whose move has failed is tried again. */
const againAfter = sql`interval '10 minutes'`;
/** Moves within that time that may fail because their target was away, and that are tried again when it is back. */
const awayMax = 5;
/** A storage that no worker has found for so long gets no repositories. */
const seenWithin = sql`interval '2 minutes'`;

interface Search {
  readonly storageId: string;
  readonly worker: string;
  /** Limit of the moves away from the storage that run at once. */
  readonly movesMax: number;
}

/**
 * Returns the administrator as whom the storage is drained, the first one if that user is gone; undefined when it is
 * not to be drained, or not by this worker, or when as many moves run as may.
 */
async function findDrainer(tx: Transaction, { storageId, worker, movesMax }: Search) {
  const moves = tx.$count(
    operations,
    and(eq(operations.state, 'running'), eq(operations.kind, 'move'), eq(operations.storageId, storageId)),
  );
  const [drainer] = await tx
    .select({ id: users.id, username: users.username })
    .from(storages)
    .innerJoin(users, and(users.admin, users.active))
    .where(and(isSweptBy(storageId, worker), eq(storages.state, 'draining'), sql`${moves} < ${movesMax}`))
    .orderBy(sql`${users.id} is distinct from ${storages.drainedById}`, users.id)
    .limit(1);
  return drainer;
}

/**
 * Locks the next repository to move away: none whose fork family has a move under way, so that shared files are found
 * at the target, none before the repository from which it was forked, and none that has failed lately, unless its
 * target was away and is back.
 */
async function lockNext(tx: Transaction, storageId: string) {
  const moving = sql`select o.repository_id from operations o where o.state = 'running' and o.kind = 'move'`;
  const wasAway = sql`right(o.error, ${targetAway.length}) = ${targetAway} and t.seen_at > o.finished_at`;
  const failed = sql`(select o.repository_id from operations o left join storages t on t.id = o.target_storage_id
    where o.finished_at > now() - ${againAfter} and o.state = 'failed' and o.kind = 'move'
    group by o.repository_id having count(*) > ${awayMax} or not coalesce(bool_and(${wasAway}), false))`;
  const waitsForSource = sql`exists (select 1 from repositories s where s.id = ${repositories.forkOfId}
    and s.storage_id = ${storageId} and s.state = 'ready' and s.id not in ${failed})`;
  const { id, name, uuid, forkOfId, sizeBytes } = repositories;
  const [next] = await tx
    .select({ id, name, uuid, forkOfId, sizeBytes })
    .from(repositories)
    .where(
      and(
        eq(repositories.storageId, storageId),
        eq(repositories.state, 'ready'),
        sql`${id} not in ${idsOfFamilies(moving)}`,
        sql`${id} not in ${failed}`,
        sql`not ${waitsForSource}`,
      ),
    )
    .orderBy(id)
    .limit(1)
    .for('update', { skipLocked: true });
  return next;
}

interface Leaving {
  readonly storageId: string;
  readonly repository: { readonly forkOfId: number | null; readonly sizeBytes: number | null };
  readonly freeBytesMin: number;
}

/** Returns the storage to which a repository is moved: that of its fork source, or one by weight and free space. */
async function chooseDrainTarget(
  tx: Transaction,
  { storageId, repository: { forkOfId, sizeBytes }, freeBytesMin }: Leaving,
  random: () => number = Math.random,
): Promise<MoveTarget | undefined> {
  const free = storages.freeBytes;
  const share = freeBytesMin === 0 ? sql`0` : sql`greatest(${freeBytesMin}, ${storages.capacityBytes} / 100)`;
  const open = await tx
    .select({ id: storages.id, name: storages.name, weight: storages.weight, freeBytes: free })
    .from(storages)
    .where(
      and(
        eq(storages.state, 'active'),
        ne(storages.id, storageId),
        sql`${storages.seenAt} > now() - ${seenWithin}`,
        sql`${free} > ${share} + ${sizeBytes ?? 0}`,
      ),
    )
    .orderBy(storages.name);
  const ofSource = forkOfId === null ? undefined : await storageOf(tx, forkOfId);
  const beside = open.find(({ id }) => id === ofSource);
  return beside ?? sampleByWeight(open, ({ weight, freeBytes }) => weight * ((freeBytes ?? 0) + 1), random);
}

async function storageOf(db: Db, repositoryId: number): Promise<string | undefined> {
  const ofRepository = eq(repositories.id, repositoryId);
  const [row] = await db.select({ storageId: repositories.storageId }).from(repositories).where(ofRepository);
  return row?.storageId;
}

interface DrainLimits {
  /** Limit of the moves away from one storage that run at once. */
  readonly movesMax: number;
  /** Free bytes that a target keeps, as in the check of storages. */
  readonly freeBytesMin: number;
}

/**
 * Moves repositories away from a storage that is draining, some at a time, until none is left that can be moved now.
 * Each move is an operation of the administrator who has set the state.
 */
export function drainJob(
  { transactions, engine, worker }: PollerTools,
  { movesMax, freeBytesMin }: DrainLimits,
): StorageJob {
  const beginNext = async (storageId: string, tx: Transaction): Promise<ClaimedOperation | null> => {
    const drainer = await findDrainer(tx, { storageId, worker, movesMax });
    const repository = drainer && (await lockNext(tx, storageId));
    const target = repository && (await chooseDrainTarget(tx, { storageId, repository, freeBytesMin }));
    if (!drainer || !repository || !target) return null;
    const id = randomUUID();
    let begun: ClaimedOperation | null = null;
    const begin: Parameters<typeof beginMove>[1] = async (operation) => {
      begun = await engine.begin(tx, { ...operation, actorId: drainer.id });
    };
    await beginMove(tx, begin, { id, repository, target });
    const args = { repoid: repository.name, storage: target.name };
    const entry = { requestId: id, userId: drainer.id, ip: '', method: 'move_repo', args, recorded: false };
    await recordCall(tx, entry, 'running', { username: drainer.username, repositoryId: repository.id });
    return begun;
  };
  return {
    begin: (storageId) => transactions.runWithoutCall((tx) => beginNext(storageId, tx)),
    failureText: 'repository could not be moved away',
    atOnce: movesMax,
    oneAtATimeIn: 'storage',
  };
}
