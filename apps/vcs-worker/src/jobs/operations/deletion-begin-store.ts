import { isUniqueViolation, operations, preparedSql, repositories, storages, type Transaction } from '@trunkline/db';
import { inArray, sql } from 'drizzle-orm';
import { repeatedCommand } from '../../domain/audit/audit-store.ts';
import { requireTakesWrites } from '../../storage/require-storage.ts';
import { firstAttempt, type ClaimedOperation } from './claimed-operation.ts';
import { leaseEnd } from './lease-store.ts';
import { RepositoryBusyError, type NewOperation } from './operation-store.ts';

/** The deletion of a repository whose row the transaction has locked. */
export interface NewDeletion extends Pick<NewOperation, 'id' | 'repositoryId' | 'request'> {
  readonly storageId: string;
  /** Whether this worker holds its lease; otherwise a worker of its storage claims it. */
  readonly isClaimed: boolean;
}

/** What the deletions of a family have in common. */
export interface DeletionsOf extends Pick<NewOperation, 'actorId' | 'busyText'> {
  readonly worker: string;
  readonly leaseSeconds: number;
}

const given = (name: string) => sql.placeholder(name);

// Every call that begins an operation on a repository, or a fork of it, has locked its row.
const anyRunning = preparedSql(sql`
  select coalesce(
    (select id from unnest(${given('ids')}::int[]) id where id = o.repository_id), o.source_repository_id) as id
  from ${operations} o
  where o.state = 'running' and o.exclusive
    and (o.repository_id = any(${given('ids')}::int[]) or o.source_repository_id = any(${given('ids')}::int[]))
  limit 1`);

const insertAll = preparedSql(sql`
  insert into ${operations} (id, kind, repository_id, storage_id, epoch, actor_id, request, state, worker, attempt,
    lease_until, started_at)
  select d.id, 'delete', r.id, r.storage_id, r.epoch, ${given('actorId')}::int, d.request, 'running',
    case when d."isClaimed" then ${given('worker')}::text end, case when d."isClaimed" then 1 else 0 end,
    case when d."isClaimed" then ${leaseEnd(given('leaseSeconds'))} else now() end,
    case when d."isClaimed" then now() end
  from jsonb_to_recordset(${given('deletions')}::jsonb)
    d(id uuid, "repositoryId" int, request jsonb, "isClaimed" boolean)
  join ${repositories} r on r.id = d."repositoryId"
  returning repository_id as id, epoch::int as epoch`);

/** Throws the client's error when operators have taken writes from a storage; returns those whose bytes are lost. */
async function requireDeletable(tx: Transaction, storageIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { id, name, state } = storages;
  const found = await tx
    .select({ id, name, state })
    .from(storages)
    .where(inArray(id, [...storageIds]));
  const byId = new Map(found.map((one) => [one.id, one]));
  const isLost = (storageId: string) => byId.get(storageId)?.state === 'lost';
  for (const storageId of storageIds) if (!isLost(storageId)) requireTakesWrites(storageId, byId.get(storageId));
  return new Set(storageIds.filter(isLost));
}

/**
 * Inserts the deletions of a family in as many statements as that of one repository, and returns those whose leases this
 * worker holds, in the same order. Throws as `insertClaimed` does.
 */
export async function insertDeletions(
  tx: Transaction,
  deletions: readonly NewDeletion[],
  { actorId, busyText, worker, leaseSeconds }: DeletionsOf,
): Promise<ClaimedOperation[]> {
  const ids = deletions.map(({ repositoryId }) => repositoryId);
  const [busy] = await anyRunning(tx).execute({ ids });
  if (busy) throw new RepositoryBusyError({ repositoryId: busy['id'], busyText });
  const lost = await requireDeletable(tx, [...new Set(deletions.map(({ storageId }) => storageId))]);
  const claimedAt = performance.now();
  const inserted = await insertAll(tx)
    .execute({ deletions: JSON.stringify(deletions), actorId, worker, leaseSeconds })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'operations_pkey') ? repeatedCommand() : error;
    });
  const epochs = new Map<number, number>(inserted.map(({ id, epoch }) => [id, epoch]));
  return deletions
    .filter(({ isClaimed }) => isClaimed)
    .map(({ id, repositoryId, storageId, request }) => ({
      ...firstAttempt,
      id,
      kind: 'delete',
      repositoryId,
      storageId,
      epoch: epochs.get(repositoryId) ?? null,
      request,
      isLost: lost.has(storageId),
      claimedAt,
    }));
}
