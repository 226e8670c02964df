import { userGroupRepoGroupPermissions, userGroups, userRepoGroupPermissions, users, type Db } from '@trunkline/db';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { PageById } from '../repo/member-page.ts';

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
