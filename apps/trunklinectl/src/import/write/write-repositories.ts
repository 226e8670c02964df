import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isUniqueViolation, repositories, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { recordChange } from '../../record-change.ts';
import { bringTree, handOver, type BegunOperation } from '../bytes/adoption.ts';
import type { Target } from '../bytes/choose-target.ts';
import { findTree, type FoundTree } from '../bytes/find-tree.ts';
import { fingerprint } from '../bytes/fingerprint.ts';
import type { Finding } from '../plan/finding.ts';
import { importedKey, type ImportedObject } from '../plan/here.ts';
import type { PlannedRepository } from '../plan/plan.ts';
import { changedParts, digestParts, recordImported } from './imported-store.ts';
import { beginReplacement, insertRepository, removeInserted, replaceFollowers, valuesOf } from './repository-rows.ts';
import { replaceRepositoryRights } from './write-rights.ts';
import { count, type Writing } from './writing.ts';

/** An operation that workers end, and the repository that it is about. */
export interface Pending {
  readonly operationId: string;
  readonly about: string;
  /** Where the bytes have been copied to; null for an adoption in place. */
  readonly copiedTo: string | null;
}

export interface RepositoryWriting extends Writing {
  readonly target: Target;
  /** The directory of repositories of the other program. */
  readonly directory: string;
  /** Name of this process in the rows of operations. */
  readonly worker: string;
  readonly findings: Finding[];
  readonly pending: Pending[];
}

function refuse({ findings }: RepositoryWriting, planned: PlannedRepository, what: string): void {
  findings.push({ kind: 'refused', about: `repository ${planned.directory}`, what });
}

function partsOf(planned: PlannedRepository): Record<string, string> {
  const { profile, forkOfId, rows, followerIds } = planned;
  const rights = [rows.defaultLevel, [...rows.users], [...rows.userGroups]];
  return digestParts({ profile, forkOfId, rights, followers: followerIds });
}

/** Copies the bytes of an operation that has begun, and leaves the rest to a worker. */
async function bring(
  writing: RepositoryWriting,
  planned: PlannedRepository,
  operation: BegunOperation,
  tree: FoundTree,
  storagePath: string,
): Promise<string | null> {
  const { db, target, pending } = writing;
  try {
    if (target.adoptedBelow === null) await bringTree(db, operation, tree, { root: target.root, storagePath });
    if (!(await handOver(db, operation))) throw new Error('a worker has taken the operation over');
  } catch (error) {
    return `its bytes could not be brought (${error instanceof Error ? error.message : String(error)})`;
  }
  const copiedTo = target.adoptedBelow === null ? join(target.root, storagePath) : null;
  pending.push({ operationId: operation.id, about: `repository ${planned.directory}`, copiedTo });
  return null;
}

async function create(writing: RepositoryWriting, planned: PlannedRepository, tree: FoundTree, bytes: string) {
  const { db, source, ids, sums, target, worker } = writing;
  const operation = { id: randomUUID(), worker };
  const adoptedPath = target.adoptedBelow === null ? null : join(target.adoptedBelow, tree.adoptedPath);
  const inserted = await db
    .transaction(async (tx) => {
      const row = await insertRepository(writing, tx, planned, target, adoptedPath, operation);
      const parts = { ...partsOf(planned), bytes };
      const imported = { source, kind: 'repository' as const, sourceId: planned.id, objectId: row.repositoryId, parts };
      await recordImported(tx, imported);
      return row;
    })
    .catch((error: unknown) => {
      if (!isUniqueViolation(error, 'repositories_stored_at')) throw error;
      refuse(writing, planned, 'its directory belongs to another repository here already');
      return null;
    });
  if (!inserted) return;
  const problem = await bring(writing, planned, operation, tree, inserted.storagePath);
  if (problem === null) {
    ids.repositories.set(planned.id, inserted.repositoryId);
    count(sums, true, new Set());
    return;
  }
  await removeInserted(db, operation, planned, inserted.repositoryId, problem);
  refuse(writing, planned, problem);
}

async function changeRows(
  writing: RepositoryWriting,
  tx: Transaction,
  planned: PlannedRepository,
  id: number,
  changed: ReadonlySet<string>,
) {
  await tx.update(repositories).set(valuesOf(writing, planned)).where(eq(repositories.id, id));
  if (changed.has('rights')) await replaceRepositoryRights(writing, tx, id, planned.rows);
  if (changed.has('followers')) await replaceFollowers(writing, tx, id, planned.followerIds);
  await recordChange(tx, 'update_repo', { repoid: planned.name, changed: [...changed] });
}

/** Brings what has changed in the source since the last import. */
async function update(
  writing: RepositoryWriting,
  planned: PlannedRepository,
  before: ImportedObject,
  tree: FoundTree,
  bytes: string,
) {
  const { db, source, ids, sums, target, worker } = writing;
  const id = before.objectId;
  ids.repositories.set(planned.id, id);
  const parts = { ...partsOf(planned), bytes };
  const changed = changedParts(before, parts);
  const rows = new Set([...changed].filter((part) => part !== 'bytes'));
  const operation = { id: randomUUID(), worker };
  const replaces = changed.has('bytes') && target.adoptedBelow === null;
  const storagePath = await db.transaction(async (tx) => {
    if (rows.size > 0) await changeRows(writing, tx, planned, id, rows);
    const path = replaces ? await beginReplacement(tx, planned, id, operation) : null;
    const former = before.parts['bytes'] ?? '';
    const recorded = { ...parts, bytes: replaces && path === null ? former : bytes };
    await recordImported(tx, { source, kind: 'repository', sourceId: planned.id, objectId: id, parts: recorded });
    return path;
  });
  count(sums, false, changed);
  if (replaces && storagePath === null) {
    return refuse(writing, planned, 'something else runs on it here: run the import again to bring what has changed');
  }
  const problem = storagePath === null ? null : await bring(writing, planned, operation, tree, storagePath);
  if (problem !== null) refuse(writing, planned, problem);
}

/** Writes repositories one by one: what lies in the source's directory is copied, or adopted where it lies. */
export async function writeRepositories(writing: RepositoryWriting, all: readonly PlannedRepository[]): Promise<void> {
  for (const planned of all) {
    const tree = await findTree(writing.directory, planned.directory, planned.type);
    if ('reason' in tree) {
      refuse(writing, planned, tree.reason);
      continue;
    }
    const before = writing.here.imported.get(importedKey('repository', planned.id));
    const bytes = writing.target.adoptedBelow === null ? await fingerprint(tree) : 'in place';
    if (before) await update(writing, planned, before, tree, bytes);
    else await create(writing, planned, tree, bytes);
  }
}
