import { userGroupRepoGroupPermissions, userGroups, userRepoGroupPermissions, users, type Db } from '@trunkline/db';
import { asc, eq } from 'drizzle-orm';
import { userColumns } from '../user/user-store.ts';

/** Lists users with a row of their own on a repository group, `default` included, in the order of the grants. */
export async function listUserMembers(db: Db, repoGroupId: number) {
  return db
    .select({ user: userColumns, level: userRepoGroupPermissions.level })
    .from(userRepoGroupPermissions)
    .innerJoin(users, eq(users.id, userRepoGroupPermissions.userId))
    .where(eq(userRepoGroupPermissions.repoGroupId, repoGroupId))
    .orderBy(asc(userRepoGroupPermissions.grantedAt), asc(users.id));
}

export async function listUserGroupMembers(db: Db, repoGroupId: number) {
  return db
    .select({
      id: userGroups.id,
      name: userGroups.name,
      active: userGroups.active,
      level: userGroupRepoGroupPermissions.level,
    })
    .from(userGroupRepoGroupPermissions)
    .innerJoin(userGroups, eq(userGroups.id, userGroupRepoGroupPermissions.userGroupId))
    .where(eq(userGroupRepoGroupPermissions.repoGroupId, repoGroupId))
    .orderBy(asc(userGroupRepoGroupPermissions.grantedAt), asc(userGroups.id));
}
