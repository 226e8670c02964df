import { randomUUID } from 'node:crypto';
import { operations, repositories, repositoryVerifications, storages, type Db, type Transaction } from '@trunkline/db';
import { and, asc, eq, gt, inArray, isNotNull, lt, ne, notExists, or, sql, type SQL } from 'drizzle-orm';
import { verificationFailureText } from '../../domain/repo/failure-texts.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { isSweptBy, type PollerTools, type StorageJob } from './storage-poller.ts';

const { repositoryId, verifiedAt, damaged, triedAt, requestedAt } = repositoryVerifications;

interface VerificationRules {
  /** Days after which a repository is read again; 0 for repositories that callers ask for alone. */
  readonly days: number;
}

/** Repositories that are to be read: of which a caller has asked that, or that were not read for long. */
type Due = 'requested' | 'old';

const ago = (days: number | SQL) => sql`now() - make_interval(days => ${days})`;

/** When a repository was last read, or was made. */
const readAt = sql`coalesce(${verifiedAt}, ${repositories.createdAt})`;

function dueBecause(why: Due, { days }: VerificationRules) {
  if (why === 'requested') {
    return and(isNotNull(requestedAt), or(sql`${triedAt} is null`, gt(requestedAt, triedAt), lt(triedAt, ago(1))));
  }
  // A damaged repository is read again each day, since an administrator may have repaired it.
  const allowed = sql`case when ${damaged} then 1 else ${days}::int end`;
  return and(sql`${readAt} < ${ago(allowed)}`, or(sql`${triedAt} is null`, lt(triedAt, ago(1))));
}

/** Lists repositories of a storage that were not read for long, the longest first. It looks at all of the storage. */
async function listOld(db: Db, storageId: string, rules: VerificationRules, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: repositories.id })
    .from(repositories)
    .leftJoin(repositoryVerifications, eq(repositoryId, repositories.id))
    .where(and(eq(repositories.storageId, storageId), eq(repositories.state, 'ready'), dueBecause('old', rules)))
    .orderBy(readAt)
    .limit(limit);
  return rows.map(({ id }) => id);
}

interface Search {
  readonly storageId: string;
  readonly worker: string;
  readonly why: Due;
  /** The ids to choose from; null for all of the storage. */
  readonly among: readonly number[] | null;
}

/**
 * Locks the next repository of a storage that is to be read, and records the attempt. Finds none while one of the
 * storage is being read, and when this worker does not hold the storage's lease.
 */
async function lockNext(tx: Transaction, { storageId, worker, why, among }: Search, rules: VerificationRules) {
  const running = tx
    .select({ id: operations.id })
    .from(operations)
    .where(and(eq(operations.storageId, storageId), eq(operations.state, 'running'), eq(operations.kind, 'verify')));
  const [next] = await tx
    .select({ id: repositories.id, name: repositories.name })
    .from(repositories)
    .innerJoin(storages, eq(storages.id, repositories.storageId))
    .leftJoin(repositoryVerifications, eq(repositoryId, repositories.id))
    .where(
      and(
        isSweptBy(storageId, worker),
        sql`${storages.state} in ('active', 'draining')`,
        eq(repositories.state, 'ready'),
        notExists(running),
        dueBecause(why, rules),
        among === null ? undefined : inArray(repositories.id, [...among]),
      ),
    )
    .orderBy(why === 'requested' ? asc(requestedAt) : readAt)
    .limit(1)
    .for('update', { of: repositories, skipLocked: true });
  if (!next) return undefined;
  const tried = { triedAt: sql`now()` };
  await tx
    .insert(repositoryVerifications)
    .values({ repositoryId: next.id, ...tried })
    .onConflictDoUpdate({ target: repositoryId, set: tried });
  return next;
}

/** Asks for a reading of a repository, before those that are due by their age. */
export async function requestVerification(tx: Db, id: number): Promise<void> {
  const requested = { requestedAt: sql`now()` };
  await tx
    .insert(repositoryVerifications)
    .values({ repositoryId: id, ...requested })
    .onConflictDoUpdate({ target: repositoryId, set: requested });
}

/** Records what a reading has found that began at this time; nothing when the repository was deleted meanwhile. */
export async function recordVerified(
  tx: Transaction,
  id: number,
  { began, isDamaged }: { readonly began: Date; readonly isDamaged: boolean },
): Promise<void> {
  await tx
    .update(repositoryVerifications)
    .set({
      verifiedAt: began,
      damaged: isDamaged,
      triedAt: null,
      // A caller that has asked since then waits for the next reading.
      requestedAt: sql`case when ${requestedAt} > ${began.toISOString()}::timestamptz then ${requestedAt} end`,
    })
    .where(eq(repositoryId, id));
}

/** Returns whether no other operation has run on a repository since a time, and its bytes are those of before. */
export async function wasUndisturbed(
  db: Db,
  { id, repositoryId: ofRepository }: Pick<ClaimedOperation, 'id' | 'repositoryId'>,
  { generation, epoch }: Pick<typeof repositories.$inferSelect, 'generation' | 'epoch'>,
  since: Date,
): Promise<boolean> {
  const others = db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(
        eq(operations.repositoryId, ofRepository),
        ne(operations.id, id),
        or(eq(operations.state, 'running'), gt(operations.finishedAt, since)),
      ),
    );
  const rows = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(
      and(
        eq(repositories.id, ofRepository),
        eq(repositories.state, 'ready'),
        eq(repositories.generation, generation),
        eq(repositories.epoch, epoch),
        notExists(others),
      ),
    );
  return rows.length > 0;
}

/** Names of damaged repositories that one answer has. */
const namesMax = 100;

/** Returns the number of damaged repositories, and the names of some. */
export async function findDamaged(db: Db) {
  const rows = await db
    .select({ name: repositories.name, count: sql<number>`count(*) over ()::int` })
    .from(repositoryVerifications)
    .innerJoin(repositories, eq(repositories.id, repositoryId))
    .where(and(damaged, eq(repositories.state, 'ready')))
    .orderBy(asc(repositories.name))
    .limit(namesMax);
  return { damaged: rows[0]?.count ?? 0, damaged_repositories: rows.map(({ name }) => name) };
}

/** Time after which a storage is looked through again for repositories that were not read for long. */
const lookAgainMs = 600_000;
/** Such repositories that one look through a storage finds: each look costs as much as the storage has repositories. */
const oldMax = 500;

/** Reads the repositories of a storage that are due, one after the other. */
export function verificationJob({ transactions, engine, worker }: PollerTools, rules: VerificationRules): StorageJob {
  const lookAt = new Map<string, number>();
  const listed = new Map<string, readonly number[]>();

  /** Begins to read the next repository; returns null when none is due. */
  const beginNext = (search: Omit<Search, 'worker'>): Promise<ClaimedOperation | null> =>
    transactions.runWithoutCall(async (tx) => {
      const repository = await lockNext(tx, { ...search, worker }, rules);
      if (!repository) return null;
      const { id, name } = repository;
      return engine.begin(tx, {
        id: randomUUID(),
        kind: 'verify',
        repositoryId: id,
        exclusive: false,
        actorId: null,
        request: { name },
        busyText: verificationFailureText(name, null),
      });
    });

  /** Begins to read the next repository of those that were listed, if any of them is still to be read. */
  const beginListed = async (storageId: string) => {
    const among = listed.get(storageId) ?? [];
    return among.length === 0 ? null : beginNext({ storageId, why: 'old', among });
  };

  const begin = async (storageId: string) => {
    const requested = await beginNext({ storageId, why: 'requested', among: null });
    if (requested || rules.days === 0 || performance.now() < (lookAt.get(storageId) ?? 0)) return requested;
    const next = await beginListed(storageId);
    if (next) return next;
    listed.set(storageId, await transactions.runWithoutCall((tx) => listOld(tx, storageId, rules, oldMax)));
    const old = await beginListed(storageId);
    if (!old) lookAt.set(storageId, performance.now() + lookAgainMs);
    return old;
  };

  return { begin, failureText: 'repository could not be verified', atOnce: 1, oneAtATimeIn: 'storage' };
}
