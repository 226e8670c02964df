import { randomUUID } from 'node:crypto';
import { auditLog, names, operations, repositories, repositoryCopies, type Db, type Transaction } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { actor } from '../../with-database.ts';
import { beginOperation, type BegunOperation } from '../bytes/adoption.ts';
import type { Target } from '../bytes/choose-target.ts';
import type { PlannedRepository } from '../plan/plan.ts';
import { writeNewRights } from './bring-rights.ts';
import { changeFollowers, rightsOf, rowOf } from './repository-parts.ts';
import { lockParent } from './write-repo-groups.ts';
import type { Writing } from './writing.ts';

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
    .values({ ...place, ...rowOf(writing, planned), ...(createdAt && { createdAt }) })
    .returning({ id: repositories.id, epoch: repositories.epoch });
  if (!row) throw new Error('no repository was inserted');
  await writeNewRights(writing, tx, { kind: 'repository', id: row.id }, rightsOf(planned));
  await changeFollowers(writing, tx, row.id, { added: planned.followerIds.map(String), removed: [] });
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
  await tx.insert(auditLog).values({ requestId: id, ...actor, ip: '', ...call, repositoryId, outcome: 'running' });
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

/** Where the bytes that replace a repository's arrive, or why they cannot now. */
export type Replacement = { readonly storagePath: string } | { readonly reason: string };

const isBusy = { reason: 'something else runs on it here: run the import again to bring what has changed' };
const isElsewhere = { reason: 'it was moved to another storage here: run the import with --storage of that one' };

/** Begins to replace a repository's bytes by what the source has by now, at a path of a new epoch. */
export async function beginReplacement(
  tx: Transaction,
  { repositoryId, target }: { readonly repositoryId: number; readonly target: Target },
  operation: BegunOperation,
): Promise<Replacement> {
  const [row] = await tx.select().from(repositories).where(eq(repositories.id, repositoryId)).for('update');
  const busy = await tx
    .select({ id: operations.id })
    .from(operations)
    .where(sql`${operations.state} = 'running'
      and (${operations.repositoryId} = ${repositoryId} or ${operations.sourceRepositoryId} = ${repositoryId})`)
    .limit(1);
  if (row?.state !== 'ready' || busy.length > 0) return isBusy;
  // It is copied into the storage of which this process has the directory.
  if (row.storageId !== target.storageId) return isElsewhere;
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
  const args = { repoid: name, changed: ['bytes'] };
  await recordBegun(tx, operation, { method: 'update_repo', args }, repositoryId);
  return { storagePath };
}
