import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isUniqueViolation, repositories, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { recordChange } from '../../with-database.ts';
import type { Progress } from '../../show-progress.ts';
import { bringTree, handOver, type BegunOperation } from '../bytes/adoption.ts';
import type { Target } from '../bytes/choose-target.ts';
import { findTree, fingerprint, type FoundTree } from '../bytes/find-tree.ts';
import { importedKey, type ImportedObject } from '../plan/here.ts';
import type { PlannedRepository } from '../plan/plan.ts';
import { bringRights } from './bring-rights.ts';
import { formerList, recordImported } from './imported-store.ts';
import { changeOfList, digestParts, mergeParts } from './merge.ts';
import { changeFollowers, columnsOfSome, lockOwner, partsOf, readRepository, rightsOf } from './repository-parts.ts';
import { beginReplacement, insertRepository, removeInserted } from './repository-rows.ts';
import { count, tellKept, type Writing } from './writing.ts';

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
  readonly pending: Pending[];
}

/** A repository of the source, with its files. */
interface Found {
  readonly planned: PlannedRepository;
  readonly tree: FoundTree;
  readonly bytes: string;
}

const aboutOf = ({ directory }: PlannedRepository) => `repository ${directory}`;

function refuse({ findings }: RepositoryWriting, planned: PlannedRepository, what: string): void {
  findings.push({ kind: 'refused', about: aboutOf(planned), what });
}

const listsOf = ({ followerIds }: PlannedRepository) => ({ followers: followerIds.map(String) });

/** Copies the bytes of an operation that has begun, and leaves the rest to a worker. */
async function bring(
  writing: RepositoryWriting,
  { planned, tree }: Found,
  operation: BegunOperation,
  storagePath: string,
): Promise<string | null> {
  const { db, target, pending } = writing;
  try {
    if (target.adoptedBelow === null) await bringTree(db, operation, tree, { ...target, storagePath });
    if (!(await handOver(db, operation))) throw new Error('a worker has taken the operation over');
  } catch (error) {
    return `its bytes could not be brought (${error instanceof Error ? error.message : String(error)})`;
  }
  const copiedTo = target.adoptedBelow === null ? join(target.root, storagePath) : null;
  pending.push({ operationId: operation.id, about: aboutOf(planned), copiedTo });
  return null;
}

async function create(writing: RepositoryWriting, found: Found): Promise<void> {
  const { db, digests, source, ids, sums, target, worker } = writing;
  const { planned, tree, bytes } = found;
  const operation = { id: randomUUID(), worker };
  const adoptedPath = target.adoptedBelow === null ? null : join(target.adoptedBelow, tree.adoptedPath);
  const inserted = await db
    .transaction(async (tx) => {
      await writing.requireLock(tx);
      const row = await insertRepository(writing, tx, planned, target, adoptedPath, operation);
      const parts = {
        digests: digestParts(digests, partsOf(writing, planned)),
        lists: listsOf(planned),
        pairs: { rights: rightsOf(planned).pairs },
        arriving: { operationId: operation.id, bytes },
      };
      await recordImported(tx, {
        source,
        kind: 'repository',
        sourceId: planned.id,
        objectId: row.repositoryId,
        parts,
      });
      return row;
    })
    .catch((error: unknown) => {
      if (!isUniqueViolation(error, 'repositories_stored_at')) throw error;
      refuse(writing, planned, 'its directory belongs to another repository here already');
      return null;
    });
  if (!inserted) return;
  const problem = await bring(writing, found, operation, inserted.storagePath);
  if (problem === null) {
    ids.repositories.set(planned.id, inserted.repositoryId);
    count(sums, true, new Set());
    return;
  }
  await removeInserted(db, operation, planned, inserted.repositoryId, problem);
  refuse(writing, planned, problem);
}

/** Writes what has changed in the source alone beside the bytes; returns the names of the parts. */
async function updateRows(
  writing: RepositoryWriting,
  tx: Transaction,
  planned: PlannedRepository,
  before: ImportedObject,
) {
  const { objectId: id, parts: former } = before;
  const about = aboutOf(planned);
  const parts = partsOf(writing, planned);
  const merge = await mergeParts(writing.digests, former.digests, parts, () => readRepository(writing, tx, id, about));
  const on = { kind: 'repository', id, about } as const;
  const sides = { before: former.pairs?.['rights'], source: rightsOf(planned) };
  const rights = await bringRights(writing, tx, on, sides, () => lockOwner(tx, id));
  const owner = rights.changed && { ownerId: rights.changed.ownerId, private: rights.changed.isPrivate };
  const columns = { ...columnsOfSome(writing, parts, merge.apply), ...owner };
  if (merge.apply.size > 0 || owner) await tx.update(repositories).set(columns).where(eq(repositories.id, id));
  const { followers: now } = listsOf(planned);
  const followers = changeOfList(formerList(before, 'followers', now), now);
  await changeFollowers(writing, tx, id, followers);
  const hasFollowers = followers.added.length + followers.removed.length > 0;
  const changed = new Set([...merge.apply, ...(owner ? ['rights'] : []), ...(hasFollowers ? ['followers'] : [])]);
  if (changed.size > 0) await recordChange(tx, 'update_repo', { repoid: planned.name, changed: [...changed] });
  tellKept(writing.findings, about, [...merge.kept, ...rights.kept]);
  return { changed, digests: merge.digests, pairs: { rights: rights.pairs } };
}

/** Brings what has changed in the source since the last import. */
async function update(writing: RepositoryWriting, found: Found, before: ImportedObject): Promise<void> {
  const { db, source, sums, target, worker } = writing;
  const { planned, bytes } = found;
  const id = before.objectId;
  const operation = { id: randomUUID(), worker };
  const replaces = target.adoptedBelow === null && before.parts.bytes !== bytes;
  const { changed, replacement } = await db.transaction(async (tx) => {
    await writing.requireLock(tx);
    const rows = await updateRows(writing, tx, planned, before);
    const begun = replaces ? await beginReplacement(tx, { repositoryId: id, target }, operation) : null;
    const parts = {
      ...before.parts,
      digests: rows.digests,
      lists: listsOf(planned),
      pairs: rows.pairs,
      ...(begun && 'storagePath' in begun && { arriving: { operationId: operation.id, bytes } }),
    };
    await recordImported(tx, { source, kind: 'repository', sourceId: planned.id, objectId: id, parts }, before);
    return { changed: rows.changed, replacement: begun };
  });
  count(sums, false, replaces ? new Set([...changed, 'bytes']) : changed);
  if (replacement === null) return;
  const problem =
    'reason' in replacement ? replacement.reason : await bring(writing, found, operation, replacement.storagePath);
  if (problem !== null) refuse(writing, planned, problem);
}

async function writeOne(writing: RepositoryWriting, planned: PlannedRepository): Promise<void> {
  const tree = await findTree(writing.directory, planned.directory, planned.type);
  if ('reason' in tree) return refuse(writing, planned, tree.reason);
  const before = writing.here.imported.get(importedKey('repository', planned.id));
  const bytes = writing.target.adoptedBelow === null ? await fingerprint(tree) : 'in place';
  if (before) await update(writing, { planned, tree, bytes }, before);
  else await create(writing, { planned, tree, bytes });
}

/** Writes repositories one by one: what lies in the source's directory is copied, or adopted where it lies. */
export async function writeRepositories(
  writing: RepositoryWriting,
  all: readonly PlannedRepository[],
  count: Progress['count'],
): Promise<void> {
  for (const planned of all) {
    await writeOne(writing, planned);
    count();
  }
}
