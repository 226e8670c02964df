import {
  followers,
  prepared,
  userGroupRepositoryPermissions,
  userGroups,
  userRepositoryPermissions,
  users,
  type Db,
} from '@trunkline/db';
import { asc, eq, sql } from 'drizzle-orm';
import { userColumns } from '../user/user-store.ts';

const repositoryId = sql.placeholder('repositoryId');

const userMembers = prepared((db) =>
  db
    .select({ user: userColumns, level: userRepositoryPermissions.level })
    .from(userRepositoryPermissions)
    .innerJoin(users, eq(users.id, userRepositoryPermissions.userId))
    .where(eq(userRepositoryPermissions.repositoryId, repositoryId))
    .orderBy(asc(userRepositoryPermissions.grantedAt), asc(users.id))
    .prepare('user_members'),
);

const userGroupMembers = prepared((db) =>
  db
    .select({
      id: userGroups.id,
      name: userGroups.name,
      active: userGroups.active,
      level: userGroupRepositoryPermissions.level,
    })
    .from(userGroupRepositoryPermissions)
    .innerJoin(userGroups, eq(userGroups.id, userGroupRepositoryPermissions.userGroupId))
    .where(eq(userGroupRepositoryPermissions.repositoryId, repositoryId))
    .orderBy(asc(userGroupRepositoryPermissions.grantedAt), asc(userGroups.id))
    .prepare('user_group_members'),
);

const followersOf = prepared((db) =>
  db
    .select(userColumns)
    .from(followers)
    .innerJoin(users, eq(users.id, followers.userId))
    .where(eq(followers.repositoryId, repositoryId))
    .orderBy(asc(followers.followedAt), asc(users.id))
    .prepare('followers_of'),
);

/** Lists users with a row of their own on a repository, `default` included, in the order of the grants. */
export async function listUserMembers(db: Db, id: number) {
  return userMembers(db).execute({ repositoryId: id });
}

export async function listUserGroupMembers(db: Db, id: number) {
  return userGroupMembers(db).execute({ repositoryId: id });
}

/** Lists the followers of a repository, in the order in which they began to follow. */
export async function listFollowers(db: Db, id: number) {
  return followersOf(db).execute({ repositoryId: id });
}
