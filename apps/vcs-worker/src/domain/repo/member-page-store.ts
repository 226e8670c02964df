import {
  followers,
  userGroupRepositoryPermissions,
  userGroups,
  userRepositoryPermissions,
  users,
  type Db,
} from '@trunkline/db';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { PageById } from './member-page.ts';

// Names are read for each entry by itself: Postgres would join a table of some thousand names by reading all of it.

/** Lists a page of the followers of a repository, in the order of their ids. */
export async function pageOfFollowers(db: Db, repositoryId: number, { limit, after }: PageById) {
  const shown = db
    .select({ username: users.username, firstname: users.firstname, lastname: users.lastname })
    .from(users)
    .where(eq(users.id, followers.userId))
    .limit(1)
    .as('shown');
  return db
    .select({ id: followers.userId, username: shown.username, firstname: shown.firstname, lastname: shown.lastname })
    .from(followers)
    .innerJoinLateral(shown, sql`true`)
    .where(and(eq(followers.repositoryId, repositoryId), gt(followers.userId, after)))
    .orderBy(asc(followers.userId))
    .limit(limit);
}

/** Lists a page of the users with a level of their own on a repository, `default` included. */
export async function pageOfUsers(db: Db, repositoryId: number, { limit, after }: PageById) {
  const shown = db
    .select({ name: users.username })
    .from(users)
    .where(eq(users.id, userRepositoryPermissions.userId))
    .limit(1)
    .as('shown');
  return db
    .select({ id: userRepositoryPermissions.userId, name: shown.name, level: userRepositoryPermissions.level })
    .from(userRepositoryPermissions)
    .innerJoinLateral(shown, sql`true`)
    .where(and(eq(userRepositoryPermissions.repositoryId, repositoryId), gt(userRepositoryPermissions.userId, after)))
    .orderBy(asc(userRepositoryPermissions.userId))
    .limit(limit);
}

/** Lists a page of the user groups with a level on a repository. */
export async function pageOfUserGroups(db: Db, repositoryId: number, { limit, after }: PageById) {
  const shown = db
    .select({ name: userGroups.name })
    .from(userGroups)
    .where(eq(userGroups.id, userGroupRepositoryPermissions.userGroupId))
    .limit(1)
    .as('shown');
  return db
    .select({
      id: userGroupRepositoryPermissions.userGroupId,
      name: shown.name,
      level: userGroupRepositoryPermissions.level,
    })
    .from(userGroupRepositoryPermissions)
    .innerJoinLateral(shown, sql`true`)
    .where(
      and(
        eq(userGroupRepositoryPermissions.repositoryId, repositoryId),
        gt(userGroupRepositoryPermissions.userGroupId, after),
      ),
    )
    .orderBy(asc(userGroupRepositoryPermissions.userGroupId))
    .limit(limit);
}
