import { followers, repositories, type Transaction, openCloneUri, toStoredCloneUri } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';
import type { PlannedRepository } from '../plan/plan.ts';
import { inChunks } from './in-chunks.ts';
import type { Parts } from './merge-parts.ts';
import { readRepositoryRights, rightsOfSource, rightsWanted } from './read-rights.ts';
import type { Writing } from './writing.ts';

type RepositoryParts = ReturnType<typeof partsOf>;

const same = <T>(value: T) => ({ source: value, here: value });

/** Owner, privacy and levels are one part: levels that are derived from the source hold only together. */
export function partsOf(writing: Writing, { profile, forkOfId, rows }: PlannedRepository) {
  const { ids, firstAdminId } = writing;
  const { lock, ownerId, private: isPrivate } = profile;
  const lockedById = lock ? (ids.users.get(lock.userId) ?? null) : null;
  return {
    description: same(profile.description),
    landingRev: same(profile.landingRev),
    enableDownloads: same(profile.enableDownloads),
    enableLocking: same(profile.enableLocking),
    enableStatistics: same(profile.enableStatistics),
    cloneUri: { ...same(profile.cloneUri), isSecret: true },
    forkOfId: { source: forkOfId, here: ids.repositories.get(forkOfId ?? 0) ?? null },
    lock: { source: lock, here: { lockedById, lockedAt: lock && lockedById !== null ? lock.at : null } },
    rights: {
      source: { ownerId, isPrivate, ...rightsOfSource(rows) },
      here: { ownerId: ids.users.get(ownerId ?? 0) ?? firstAdminId, isPrivate, ...rightsWanted(writing, rows) },
    },
  } satisfies Parts;
}

/** Returns the columns of parts. */
function columnsOf({ vault }: Writing, parts: RepositoryParts) {
  const { ownerId, isPrivate } = parts.rights.here;
  return {
    description: { description: parts.description.here },
    landingRev: { landingRev: parts.landingRev.here },
    enableDownloads: { enableDownloads: parts.enableDownloads.here },
    enableLocking: { enableLocking: parts.enableLocking.here },
    enableStatistics: { enableStatistics: parts.enableStatistics.here },
    cloneUri: toStoredCloneUri(parts.cloneUri.here, vault),
    forkOfId: { forkOfId: parts.forkOfId.here },
    lock: parts.lock.here,
    rights: { ownerId, private: isPrivate },
  } satisfies Record<keyof RepositoryParts, object>;
}

/** Returns the whole row that parts make. */
export function rowOf(writing: Writing, parts: RepositoryParts) {
  const { description, landingRev, enableDownloads, ...columns } = columnsOf(writing, parts);
  const { enableLocking, enableStatistics, cloneUri, forkOfId, lock, rights } = columns;
  const switches = { ...enableDownloads, ...enableLocking, ...enableStatistics };
  return { ...description, ...landingRev, ...switches, ...cloneUri, ...forkOfId, ...lock, ...rights };
}

/** Returns the columns of those parts that are named. */
export function columnsOfSome(writing: Writing, parts: RepositoryParts, names: ReadonlySet<string>) {
  const columns = Object.entries(columnsOf(writing, parts)).filter(([name]) => names.has(name));
  return Object.assign({}, ...columns.map(([, values]) => values)) as Partial<typeof repositories.$inferInsert>;
}

/** Reads the parts of a repository as they are here, and locks its row. */
export async function readRepository({ vault }: Writing, tx: Transaction, id: number) {
  const [row] = await tx.select().from(repositories).where(eq(repositories.id, id)).for('update');
  if (!row) return {};
  const { description, landingRev, enableDownloads, enableLocking, enableStatistics, forkOfId } = row;
  const { lockedById, lockedAt, ownerId, private: isPrivate } = row;
  return {
    description,
    landingRev,
    enableDownloads,
    enableLocking,
    enableStatistics,
    forkOfId,
    cloneUri: openCloneUri(row, vault),
    lock: { lockedById, lockedAt },
    rights: { ownerId, isPrivate, ...(await readRepositoryRights(tx, id)) },
  };
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
