import { followers, prepared, repositories, repositoryVerifications, storages, users, type Db } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { followedBy, holders, listedColumns } from './repository-list-store.ts';
import { forkSource, owners, sourceAccess } from './repository-store.ts';

const headById = prepared((db) => {
  const userId = sql.placeholder('userId');
  const source = sourceAccess(db);
  return db
    .select({
      ...listedColumns,
      forkOf: source.name,
      landingRev: repositories.landingRev,
      enableDownloads: repositories.enableDownloads,
      cloneUri: repositories.cloneUri,
      sizeBytes: repositories.sizeBytes,
      defaultBranch: repositories.defaultBranch,
      storage: storages.name,
      verifiedAt: repositoryVerifications.verifiedAt,
      damaged: repositoryVerifications.damaged,
      followers: sql<number>`(select count(*)::int from ${followers} f where f.repository_id = ${repositories.id})`,
      isFollowing: sql<boolean>`${followedBy(userId)}`,
    })
    .from(repositories)
    .innerJoin(users, eq(users.id, userId))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .innerJoin(storages, eq(storages.id, repositories.storageId))
    .leftJoin(repositoryVerifications, eq(repositoryVerifications.repositoryId, repositories.id))
    .leftJoin(holders, eq(holders.id, repositories.lockedById))
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoinLateral(source.byUserGroupOfRow.table, source.byUserGroupOfRow.on)
    .where(and(eq(repositories.id, sql.placeholder('id')), eq(repositories.state, 'ready')))
    .prepare('head_by_id');
});

/** Reads the columns that every page of a repository shows. */
export async function findHead(db: Db, id: number, userId: number) {
  const [row] = await headById(db).execute({ id, userId });
  return row;
}
