import {
  deletedRepositories,
  repositories,
  repositoryCopies,
  storages,
  userGroupRepositoryPermissions,
  userGroups,
  userRepositoryPermissions,
  followers,
  users,
  type Db,
  type Transaction,
} from '@trunkline/db';
import { and, eq, isNull, ne, sql, type SQL } from 'drizzle-orm';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { isKept } from './deleted-list-store.ts';

const { repositoryId, document, restoredBy } = deletedRepositories;

/**
 * The epoch of the restored row: higher than that of the former one, so that no late write of before counts, and than that
 * of any copy, whose tree may still be at its path.
 */
export const nextEpoch = sql<number>`(greatest((${document}->'repository'->>'epoch')::int,
  (select max(c.epoch) from ${repositoryCopies} c where c.repository_id = ${deletedRepositories}.repository_id)) + 1)::int`;

const columns = {
  id: repositoryId,
  /** The deletion, by whose id the bytes are found in the trash. */
  deletion: deletedRepositories.operationId,
  name: deletedRepositories.name,
  ownerId: deletedRepositories.ownerId,
  storageId: deletedRepositories.storageId,
  uuid: sql<string>`${document}->'repository'->>'uuid'`,
  nextEpoch,
};

export type DeletedRepository = Awaited<ReturnType<typeof selectDeleted>>[number];

function selectDeleted(db: Db, id: number, trashDays: number) {
  return db
    .select(columns)
    .from(deletedRepositories)
    .innerJoin(storages, eq(storages.id, deletedRepositories.storageId))
    .where(and(eq(repositoryId, id), isKept(trashDays), ne(storages.state, 'lost')));
}

/** Finds a deleted repository whose bytes are kept. */
export async function findDeleted(db: Db, id: number, trashDays: number): Promise<DeletedRepository | undefined> {
  const [row] = await selectDeleted(db, id, trashDays);
  return row;
}

/** Claims a deleted repository for the operation that restores it; returns false when another one does, or it is gone. */
export async function claimDeleted(
  tx: Transaction,
  { id, trashDays, restoring }: { readonly id: number; readonly trashDays: number; readonly restoring: string },
): Promise<boolean> {
  const claimed = await tx
    .update(deletedRepositories)
    .set({ restoredBy: restoring })
    .where(and(eq(repositoryId, id), isNull(restoredBy), isKept(trashDays)))
    .returning({ id: repositoryId });
  return claimed.length > 0;
}

interface RestoredRepository {
  readonly id: number;
  readonly name: string;
  readonly groupId: number | null;
  readonly ownerId: number;
  readonly storagePath: string;
  readonly epoch: number;
}

/**
 * Inserts the row of a claimed repository in state `creating`, hidden from reads; its references may be gone. It is
 * attached to a source that is `ready` alone: one that is being restored attaches it itself, and one that is being
 * deleted must get no further fork.
 */
export async function insertRestored(tx: Transaction, restored: RestoredRepository): Promise<void> {
  const { id, name, groupId, ownerId, storagePath, epoch } = restored;
  await tx.execute(sql`
    insert into ${repositories} (id, uuid, name, group_id, type, state, storage_id, storage_path, epoch, size_bytes,
      private, description, owner_id, clone_uri, clone_uri_sealed, clone_uri_secret_id, landing_rev, enable_downloads,
      enable_locking, enable_statistics, fork_of_id, generation, removed_at_generation, last_changeset, default_branch,
      needs_recovery, locked_by_id, locked_at, created_at)
    overriding system value
    select d.repository_id, r.uuid, ${name}::text, ${groupId}::int, r.type, 'creating', d.storage_id,
      ${storagePath}::text, ${epoch}::int, d.size_bytes, r.private, r.description, ${ownerId}::int, r.clone_uri,
      d.clone_uri_sealed, d.clone_uri_secret_id, r.landing_rev, r.enable_downloads, r.enable_locking,
      r.enable_statistics, s.id, r.generation + 1, r.removed_at_generation, r.last_changeset, r.default_branch,
      r.needs_recovery, l.id, case when l.id is not null then r.locked_at end, r.created_at
    from ${deletedRepositories} d
      cross join jsonb_populate_record(null::${repositories}, d.document->'repository') r
      left join ${repositories} s on s.id = d.fork_of_id and s.state = 'ready'
      left join ${users} l on l.id = r.locked_by_id
    where d.repository_id = ${id}`);
}

/** A list in the document of a deleted repository, and where its elements come from and go to. */
interface KeptList {
  readonly list: string;
  readonly members: typeof users | typeof userGroups;
  /** What an element has. */
  readonly columns: SQL;
  readonly into: SQL;
  /** What goes there, after the ids of the member and of the repository. */
  readonly values: SQL;
}

const leveled = { columns: sql`id int, level smallint, at timestamptz`, values: sql`kept.level, kept.at` };

const ofUsers: KeptList = {
  list: 'users',
  members: users,
  into: sql`${userRepositoryPermissions} (user_id, repository_id, level, granted_at)`,
  ...leveled,
};
const ofUserGroups: KeptList = {
  list: 'user_groups',
  members: userGroups,
  into: sql`${userGroupRepositoryPermissions} (user_group_id, repository_id, level, granted_at)`,
  ...leveled,
};
const ofFollowers: KeptList = {
  list: 'followers',
  members: users,
  into: sql`${followers} (user_id, repository_id, followed_at)`,
  columns: sql`id int, at timestamptz`,
  values: sql`kept.at`,
};

/** Restores the elements of a list, and returns the number of those whose users or groups are gone. */
async function restoreList(tx: Transaction, id: number, { list, members, columns, into, values }: KeptList) {
  const [row] = await tx.execute<{ left: number }>(sql`
    with restored as (
      insert into ${into} select m.id, d.repository_id, ${values} from ${deletedRepositories} d
        cross join jsonb_to_recordset(d.document->${list}::text) as kept(${columns})
        join ${members} m on m.id = kept.id where d.repository_id = ${id}
      returning 1)
    select (jsonb_array_length(d.document->${list}::text) - (select count(*) from restored))::int as left
    from ${deletedRepositories} d where d.repository_id = ${id}`);
  return row?.left ?? 0;
}

/** Restores levels and followers of a repository; returns the numbers of those whose users and groups are gone. */
export async function restorePeople(tx: Transaction, id: number) {
  return {
    user_permissions: await restoreList(tx, id, ofUsers),
    user_group_permissions: await restoreList(tx, id, ofUserGroups),
    followers: await restoreList(tx, id, ofFollowers),
  };
}

/**
 * Attaches the forks of a restored repository again that are attached to nothing else meanwhile; returns how many. The
 * documents of forks and of a source that are deleted as well get the repository, for when they are restored.
 */
export async function attachForks(tx: Transaction, id: number): Promise<number> {
  const forks = sql`(select unnest(d.fork_ids) from ${deletedRepositories} d where d.repository_id = ${id})`;
  await tx.execute(sql`
    update ${deletedRepositories} set fork_of_id = ${id} where repository_id in ${forks} and fork_of_id is null`);
  await tx.execute(sql`
    update ${deletedRepositories} s set fork_ids = array_append(s.fork_ids, ${id}::int)
    from ${deletedRepositories} d
    where d.repository_id = ${id} and s.repository_id = d.fork_of_id and not ${id}::int = any(s.fork_ids)`);
  // A fork has a higher id than its source, on which searches of families rely.
  const attached = await tx.execute(sql`
    update ${repositories} set fork_of_id = ${id}
    where id in (select f.id from ${repositories} f where f.id in ${forks} and f.fork_of_id is null and f.id > ${id}
      order by f.id for update)
    returning id`);
  return attached.length;
}

type Restore = Pick<ClaimedOperation, 'id' | 'repositoryId'>;

const heldBy = ({ id, repositoryId: ofRepository }: Restore) => and(eq(repositoryId, ofRepository), eq(restoredBy, id));

/** Removes what was kept of a repository that is restored, or whose bytes are gone. */
export async function forgetRestored(tx: Db, restore: Restore): Promise<void> {
  await tx.delete(deletedRepositories).where(heldBy(restore));
}

/** Offers a repository again after an attempt to restore it that has failed. */
export async function releaseDeleted(tx: Db, restore: Restore): Promise<void> {
  await tx
    .update(deletedRepositories)
    .set({ restoredBy: null, keptSince: sql`now()` })
    .where(heldBy(restore));
}

/** Returns when the bytes came to the trash that this operation restores; null when it no longer restores them. */
export async function trashTimeOf(db: Db, restore: Restore): Promise<Date | null> {
  const [row] = await db
    .select({ deletedAt: deletedRepositories.deletedAt })
    .from(deletedRepositories)
    .where(heldBy(restore));
  return row?.deletedAt ?? null;
}
