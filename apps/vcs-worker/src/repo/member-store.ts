import {
  followers,
  userGroupRepositoryPermissions,
  userGroups,
  userRepositoryPermissions,
  users,
  type Executor,
} from '@trunkline/db';
import { asc, eq } from 'drizzle-orm';
import { userColumns } from '../user/user-store.ts';

/** Users with a row of their own on a repository, in the order of the grants; `default` among them. */
export async function listUserMembers(db: Executor, repositoryId: number) {
  return db
    .select({ user: userColumns, level: userRepositoryPermissions.level })
    .from(userRepositoryPermissions)
    .innerJoin(users, eq(users.id, userRepositoryPermissions.userId))
    .where(eq(userRepositoryPermissions.repositoryId, repositoryId))
    .orderBy(asc(userRepositoryPermissions.grantedAt), asc(users.id));
}

export async function listUserGroupMembers(db: Executor, repositoryId: number) {
  return db
    .select({
      id: userGroups.id,
      name: userGroups.name,
      active: userGroups.active,
      level: userGroupRepositoryPermissions.level,
    })
    .from(userGroupRepositoryPermissions)
    .innerJoin(userGroups, eq(userGroups.id, userGroupRepositoryPermissions.userGroupId))
    .where(eq(userGroupRepositoryPermissions.repositoryId, repositoryId))
    .orderBy(asc(userGroupRepositoryPermissions.grantedAt), asc(userGroups.id));
}

/** Who follows a repository, in the order of following. */
export async function listFollowers(db: Executor, repositoryId: number) {
  return db
    .select(userColumns)
    .from(followers)
    .innerJoin(users, eq(users.id, followers.userId))
    .where(eq(followers.repositoryId, repositoryId))
    .orderBy(asc(followers.followedAt), asc(users.id));
}
