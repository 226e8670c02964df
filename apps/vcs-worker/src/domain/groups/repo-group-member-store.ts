import { type Db, userGroupRepoGroupPermissions, userGroups, userRepoGroupPermissions, users } from '@trunkline/db';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { userColumns } from '../user/user-store.ts';
import type { PageById } from '../repo/member-page.ts';

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

// Names are read for each entry by itself: Postgres would join a table of some thousand names by reading all of it.

/** Lists a page of the users with a level of their own on a repository group, `default` included. */
export async function pageOfUsers(db: Db, repoGroupId: number, { limit, after }: PageById) {
  const shown = db
    .select({ name: users.username })
    .from(users)
    .where(eq(users.id, userRepoGroupPermissions.userId))
    .limit(1)
    .as('shown');
  return db
    .select({ id: userRepoGroupPermissions.userId, name: shown.name, level: userRepoGroupPermissions.level })
    .from(userRepoGroupPermissions)
    .innerJoinLateral(shown, sql`true`)
    .where(and(eq(userRepoGroupPermissions.repoGroupId, repoGroupId), gt(userRepoGroupPermissions.userId, after)))
    .orderBy(asc(userRepoGroupPermissions.userId))
    .limit(limit);
}

/** Lists a page of the user groups with a level on a repository group. */
export async function pageOfUserGroups(db: Db, repoGroupId: number, { limit, after }: PageById) {
  const shown = db
    .select({ name: userGroups.name })
    .from(userGroups)
    .where(eq(userGroups.id, userGroupRepoGroupPermissions.userGroupId))
    .limit(1)
    .as('shown');
  return db
    .select({
      id: userGroupRepoGroupPermissions.userGroupId,
      name: shown.name,
      level: userGroupRepoGroupPermissions.level,
    })
    .from(userGroupRepoGroupPermissions)
    .innerJoinLateral(shown, sql`true`)
    .where(
      and(
        eq(userGroupRepoGroupPermissions.repoGroupId, repoGroupId),
        gt(userGroupRepoGroupPermissions.userGroupId, after),
      ),
    )
    .orderBy(asc(userGroupRepoGroupPermissions.userGroupId))
    .limit(limit);
}
