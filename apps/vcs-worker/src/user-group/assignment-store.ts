import {
  repoGroups,
  repositories,
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  users,
  type Db,
} from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { effectiveGroupLevel } from '../authz/repo-group/effective-group-level.ts';
import { effectiveLevel } from '../authz/repository/effective-level.ts';

/** An object on which a user group has a level, with the caller's own level on it. */
export interface Assignment {
  readonly name: string;
  readonly viewerLevel: number;
}

/** The repositories and repository groups on which a user group has a level. */
export async function listAssignments(db: Db, userGroupId: number, viewerId: number): Promise<Assignment[]> {
  const rule = effectiveLevel(db, viewerId);
  const onRepositories = await db
    .select({ name: repositories.name, viewerLevel: rule.level })
    .from(userGroupRepositoryPermissions)
    .innerJoin(repositories, eq(repositories.id, userGroupRepositoryPermissions.repositoryId))
    .innerJoin(users, eq(users.id, viewerId))
    .leftJoin(rule.own.table, rule.own.on)
    .leftJoin(rule.everybody.table, rule.everybody.on)
    .leftJoin(rule.byGroup.table, rule.byGroup.on)
    .where(and(eq(userGroupRepositoryPermissions.userGroupId, userGroupId), eq(repositories.state, 'ready')));
  const onGroups = await db
    .select({ name: repoGroups.name, viewerLevel: effectiveGroupLevel(sql`${viewerId}`) })
    .from(userGroupRepoGroupPermissions)
    .innerJoin(repoGroups, eq(repoGroups.id, userGroupRepoGroupPermissions.repoGroupId))
    .innerJoin(users, eq(users.id, viewerId))
    .where(eq(userGroupRepoGroupPermissions.userGroupId, userGroupId));
  return [...onRepositories, ...onGroups];
}
