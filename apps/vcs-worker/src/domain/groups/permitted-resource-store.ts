import {
  repoGroups,
  repositories,
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  users,
  type Db,
} from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { effectiveGroupLevel } from '../../authz/repo-group/effective-group-level.ts';
import { effectiveLevel } from '../../authz/repository/effective-level.ts';

/** A repository or repository group on which a user group has a permission. */
export interface PermittedResource {
  readonly name: string;
  /** The caller's level; the error text names only what the caller may read. */
  readonly callerLevel: number;
}

/** Lists the ready repositories and the repository groups on which a user group has a permission. */
export async function listPermittedResources(
  db: Db,
  userGroupId: number,
  callerId: number,
): Promise<PermittedResource[]> {
  const access = effectiveLevel(db, callerId);
  const onRepositories = await db
    .select({ name: repositories.name, callerLevel: access.level })
    .from(userGroupRepositoryPermissions)
    .innerJoin(repositories, eq(repositories.id, userGroupRepositoryPermissions.repositoryId))
    // `effectiveLevel` reads the user's row.
    .innerJoin(users, eq(users.id, callerId))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .where(and(eq(userGroupRepositoryPermissions.userGroupId, userGroupId), eq(repositories.state, 'ready')));
  const onGroups = await db
    .select({ name: repoGroups.name, callerLevel: effectiveGroupLevel(sql`${callerId}`) })
    .from(userGroupRepoGroupPermissions)
    .innerJoin(repoGroups, eq(repoGroups.id, userGroupRepoGroupPermissions.repoGroupId))
    // `effectiveGroupLevel` reads the user's row.
    .innerJoin(users, eq(users.id, callerId))
    .where(eq(userGroupRepoGroupPermissions.userGroupId, userGroupId));
  return [...onRepositories, ...onGroups];
}
