import { followers, repositories, toStoredCloneUri, type Transaction } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';
import type { PlannedRepository } from '../plan/plan.ts';
import { inChunks, type Writing } from './writing.ts';
import type { Parts } from './merge.ts';
import type { SourceRights } from './merge-rights.ts';
import { isSealed, openSealed } from './secrets.ts';
import { ownerHere, pairsOfSource } from './rights.ts';

type RepositoryParts = ReturnType<typeof partsOf>;

const same = <T>(value: T) => ({ source: value, here: value });

/** Returns what is brought beside rights, followers and bytes. */
export function partsOf({ ids }: Writing, { profile, forkOfId }: PlannedRepository) {
  const { lock } = profile;
  const lockedById = lock ? (ids.users.get(lock.userId) ?? null) : null;
  return {
    description: same(profile.description),
    landingRev: same(profile.landingRev),
    enableDownloads: same(profile.enableDownloads),
    enableLocking: same(profile.enableLocking),
    enableStatistics: same(profile.enableStatistics),
    cloneUri: { ...same(profile.cloneUri), isSecret: true },
    // A source of forks that was refused may come later; nobody here can take a link away.
    forkOfId: { ...same(ids.repositories.get(forkOfId ?? 0) ?? null), fillsNull: true },
    lock: { source: lock, here: { lockedById, lockedAt: lock && lockedById !== null ? lock.at : null } },
  } satisfies Parts;
}

/** Returns the rights on a repository in the source. */
export function rightsOf({ profile, rows, levelOf }: PlannedRepository): SourceRights {
  return { pairs: pairsOfSource(rows, profile.ownerId, profile.private), levelOf };
}

/** Returns the columns of parts. */
function columnsOf({ vault }: Writing, parts: RepositoryParts) {
  return {
    description: { description: parts.description.here },
    landingRev: { landingRev: parts.landingRev.here },
    enableDownloads: { enableDownloads: parts.enableDownloads.here },
    enableLocking: { enableLocking: parts.enableLocking.here },
    enableStatistics: { enableStatistics: parts.enableStatistics.here },
    cloneUri: toStoredCloneUri(parts.cloneUri.here, vault),
    forkOfId: { forkOfId: parts.forkOfId.here },
    lock: parts.lock.here,
  } satisfies Record<keyof RepositoryParts, object>;
}

/** Returns the whole row of a new repository. */
export function rowOf(writing: Writing, planned: PlannedRepository) {
  const columns = columnsOf(writing, partsOf(writing, planned));
  const { description, landingRev, enableDownloads, enableLocking, enableStatistics, cloneUri, forkOfId, lock } =
    columns;
  const switches = { ...enableDownloads, ...enableLocking, ...enableStatistics };
  const owner = { ownerId: ownerHere(writing, planned.profile.ownerId), private: planned.profile.private };
  return { ...description, ...landingRev, ...switches, ...cloneUri, ...forkOfId, ...lock, ...owner };
}

/** Returns the columns of those parts that are named. */
export function columnsOfSome(writing: Writing, parts: RepositoryParts, names: ReadonlySet<string>) {
  const columns = Object.entries(columnsOf(writing, parts)).filter(([name]) => names.has(name));
  return Object.assign({}, ...columns.map(([, values]) => values)) as Partial<typeof repositories.$inferInsert>;
}

/** Locks a repository, and returns the columns by which rights on it are decided. */
export async function lockOwner(tx: Transaction, id: number) {
  const { ownerId, private: isPrivate } = repositories;
  const [row] = await tx.select({ ownerId, isPrivate }).from(repositories).where(eq(repositories.id, id)).for('update');
  return row;
}

/** Returns the remote location of a row; undefined, with a finding, where its secret is gone. */
function cloneUriOf(
  { vault, findings }: Writing,
  about: string,
  { cloneUri, cloneUriSealed }: typeof repositories.$inferSelect,
): string | null | undefined {
  if (cloneUriSealed === null) return cloneUri;
  const opened = openSealed(vault, cloneUriSealed);
  if (opened === undefined) findings.push({ kind: 'differs', about, what: `\`clone_uri\` ${isSealed}` });
  return opened;
}

/** Reads the parts of a repository as they are here, and locks its row. */
export async function readRepository(writing: Writing, tx: Transaction, id: number, about: string) {
  const [row] = await tx.select().from(repositories).where(eq(repositories.id, id)).for('update');
  if (!row) return {};
  const { description, landingRev, enableDownloads, enableLocking, enableStatistics, forkOfId } = row;
  const { lockedById, lockedAt } = row;
  const switches = { enableDownloads, enableLocking, enableStatistics };
  const cloneUri = cloneUriOf(writing, about, row);
  return { description, landingRev, ...switches, forkOfId, cloneUri, lock: { lockedById, lockedAt } };
}

/** Brings who has begun in the source to follow a repository since the last import, and who has ended that. */
export async function changeFollowers(
  { ids }: Writing,
  tx: Transaction,
  repositoryId: number,
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): Promise<void> {
  const here = (all: readonly string[]) => all.flatMap((id) => ids.users.get(Number(id)) ?? []);
  await inChunks(here(removed), (chunk) =>
    tx.delete(followers).where(and(eq(followers.repositoryId, repositoryId), inArray(followers.userId, chunk))),
  );
  const rows = here(added).map((userId) => ({ userId, repositoryId }));
  await inChunks(rows, (chunk) => tx.insert(followers).values(chunk).onConflictDoNothing());
}
