import { randomUUID } from 'node:crypto';
import {
  auditLog,
  followers,
  names,
  operations,
  repositories,
  repositoryCopies,
  type Db,
  type Transaction,
} from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { beginOperation, type BegunOperation } from '../bytes/adoption.ts';
import type { Target } from '../bytes/choose-target.ts';
import { toStoredCloneUri } from '../bytes/clone-uri.ts';
import type { PlannedRepository } from '../plan/plan.ts';
import { insertInChunks } from './insert-in-chunks.ts';
import { lockParent } from './write-repo-groups.ts';
import { replaceRepositoryRights } from './write-rights.ts';
import type { Writing } from './writing.ts';

/** Returns what the row of a repository has of the source. */
export function valuesOf({ ids, vault, firstAdminId }: Writing, { profile, forkOfId }: PlannedRepository) {
  const { cloneUri, ownerId, lock, ...values } = profile;
  const lockedById = lock ? (ids.users.get(lock.userId) ?? null) : null;
  return {
    ...values,
    ...toStoredCloneUri(cloneUri, vault),
    ownerId: ids.users.get(ownerId ?? 0) ?? firstAdminId,
    forkOfId: ids.repositories.get(forkOfId ?? 0) ?? null,
    lockedById,
    lockedAt: lock && lockedById !== null ? lock.at : null,
  };
}

export async function replaceFollowers(
  writing: Writing,
  tx: Transaction,
  repositoryId: number,
  all: readonly number[],
) {
  await tx.delete(followers).where(eq(followers.repositoryId, repositoryId));
  const rows = all.flatMap((id) => {
    const userId = writing.ids.users.get(id);
    return userId === undefined ? [] : [{ userId, repositoryId }];
  });
  await insertInChunks(rows, (chunk) => tx.insert(followers).values(chunk));
}

export interface InsertedRepository {
  readonly repositoryId: number;
  readonly storagePath: string;
}

/** Inserts a repository that no read sees before a worker has adopted its bytes, with rights, followers and operation. */
export async function insertRepository(
  writing: Writing,
  tx: Transaction,
  planned: PlannedRepository,
  target: Target,
  adoptedPath: string | null,
  operation: BegunOperation,
): Promise<InsertedRepository> {
  const { name, type, createdAt } = planned;
  const { storageId } = target;
  const uuid = randomUUID();
  const storagePath = adoptedPath ?? `@repos/${uuid.slice(0, 2)}/${uuid}`;
  const groupId = await lockParent(tx, name);
  await tx.insert(names).values({ name, kind: 'repository' });
  const place = { uuid, name, groupId, type, state: 'creating' as const, storageId, storagePath };
  const [row] = await tx
    .insert(repositories)
    .values({ ...place, ...valuesOf(writing, planned), ...(createdAt && { createdAt }) })
    .returning({ id: repositories.id, epoch: repositories.epoch });
  if (!row) throw new Error('no repository was inserted');
  await replaceRepositoryRights(writing, tx, row.id, planned.rows);
  await replaceFollowers(writing, tx, row.id, planned.followerIds);
  await beginOperation(tx, { ...operation, kind: 'adopt', repositoryId: row.id, storageId, epoch: row.epoch, name });
  await recordBegun(tx, operation, { method: 'create_repo', args: { repo_name: name, repo_type: type } }, row.id);
  return { repositoryId: row.id, storagePath };
}

async function recordBegun(
  tx: Transaction,
  { id }: BegunOperation,
  call: Pick<typeof auditLog.$inferInsert, 'method' | 'args'>,
  repositoryId: number,
): Promise<void> {
  const actor = { actorId: 0, actor: 'trunklinectl', ip: '' };
  await tx.insert(auditLog).values({ requestId: id, ...actor, ...call, repositoryId, outcome: 'running' });
}

/** Removes a repository whose bytes could not be copied. */
export async function removeInserted(
  db: Db,
  { id }: BegunOperation,
  planned: PlannedRepository,
  repositoryId: number,
  error: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await tx
      .update(operations)
      .set({ state: 'failed', error, finishedAt: sql`now()`, leaseUntil: null })
      .where(sql`${operations.id} = ${id} and ${operations.state} = 'running'`)
      .returning({ id: operations.id });
    // A worker has taken it over, and undoes it.
    if (ended.length === 0) return;
    await tx.delete(repositories).where(eq(repositories.id, repositoryId));
    await tx.delete(names).where(eq(names.name, planned.name));
    await tx.update(auditLog).set({ outcome: 'failed', error }).where(eq(auditLog.requestId, id));
  });
}

/**
 * Begins to replace a repository's bytes by what the source has by now, at a path of a new epoch; returns that path, or
 * null while something else runs on the repository.
 */
export async function beginReplacement(
  tx: Transaction,
  planned: PlannedRepository,
  repositoryId: number,
  operation: BegunOperation,
): Promise<string | null> {
  const [row] = await tx.select().from(repositories).where(eq(repositories.id, repositoryId)).for('update');
  const busy = await tx
    .select({ id: operations.id })
    .from(operations)
    .where(sql`${operations.state} = 'running'
      and (${operations.repositoryId} = ${repositoryId} or ${operations.sourceRepositoryId} = ${repositoryId})`)
    .limit(1);
  if (row?.state !== 'ready' || busy.length > 0) return null;
  const [latest] = await tx
    .select({ epoch: sql<number>`coalesce(max(${repositoryCopies.epoch}), 0)`.mapWith(Number) })
    .from(repositoryCopies)
    .where(eq(repositoryCopies.repositoryId, repositoryId));
  const epoch = Math.max(row.epoch, latest?.epoch ?? 0) + 1;
  const storagePath = `@repos/${row.uuid.slice(0, 2)}/${row.uuid}.${epoch}`;
  const { storageId, name } = row;
  await beginOperation(tx, { ...operation, kind: 'replace', repositoryId, storageId, epoch: row.epoch, name });
  const copy = { storageId, storagePath, repositoryId, operationId: operation.id, epoch };
  await tx.insert(repositoryCopies).values({ ...copy, role: 'arriving' });
  const args = { repoid: planned.name, changed: ['bytes'] };
  await recordBegun(tx, operation, { method: 'update_repo', args }, repositoryId);
  return storagePath;
}
