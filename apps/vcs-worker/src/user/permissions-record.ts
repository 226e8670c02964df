import { levelName, rawJson, type PermissionsRecord } from '@trunkline/contracts';
import {
  prepared,
  repoGroups,
  userGlobalPermissions,
  userGroupGlobalPermissions,
  userGroupMembers,
  userGroups,
  users,
  type Db,
} from '@trunkline/db';
import { and, asc, eq, or, sql } from 'drizzle-orm';
import { union } from 'drizzle-orm/pg-core';
import { defaultUserId } from '../authz/repository/effective-level.ts';
import { effectiveGroupLevel } from '../authz/repo-group/effective-group-level.ts';
import { repositoryPermissions } from './repository-permission-store.ts';

interface TargetUser {
  readonly id: number;
  readonly admin: boolean;
  /** Present where they are known already. */
  readonly globalPermissions?: readonly string[];
}

const groupLevels = prepared((db) =>
  db
    .select({ name: repoGroups.name, level: effectiveGroupLevel(sql`${sql.placeholder('userId')}`) })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .orderBy(asc(repoGroups.id))
    .prepare('group_levels'),
);

const globalPermissions = prepared((db) => {
  const userId = sql.placeholder('userId');
  const defaultAndOwn = db
    .select({ permission: userGlobalPermissions.permission })
    .from(userGlobalPermissions)
    .where(or(eq(userGlobalPermissions.userId, userId), eq(userGlobalPermissions.userId, defaultUserId)));
  const ofGroups = db
    .select({ permission: userGroupGlobalPermissions.permission })
    .from(userGroupGlobalPermissions)
    .innerJoin(userGroupMembers, eq(userGroupMembers.userGroupId, userGroupGlobalPermissions.userGroupId))
    .innerJoin(userGroups, and(eq(userGroups.id, userGroupMembers.userGroupId), eq(userGroups.active, true)))
    .where(eq(userGroupMembers.userId, userId));
  return union(defaultAndOwn, ofGroups).prepare('global_permissions');
});

async function readGlobalPermissions(db: Db, userId: number): Promise<readonly string[]> {
  const rows = await globalPermissions(db).execute({ userId });
  return rows.map(({ permission }) => permission);
}

const userGroupOwners = prepared((db) =>
  db
    .select({ name: userGroups.name, ownerId: userGroups.ownerId })
    .from(userGroups)
    .orderBy(asc(userGroups.id))
    .prepare('user_group_owners'),
);

function toMap(rows: readonly { name: string; level: number }[], prefix: string, withNone: boolean) {
  const shown = rows.filter(({ level }) => withNone || level > 0);
  return Object.fromEntries(shown.map(({ name, level }) => [name, `${prefix}.${levelName(level)}`]));
}

/**
 * Returns the permissions of a user (spec 2.2). A user's own maps leave out objects of level none; with `withNone`, for
 * administrators, they have every name.
 */
export async function loadPermissions(
  db: Db,
  user: TargetUser,
  { withNone }: { withNone: boolean },
): Promise<PermissionsRecord> {
  const userId = user.id;
  const [global, groupRows, repositoriesJson, repoGroupRows] = await Promise.all([
    user.globalPermissions ?? readGlobalPermissions(db, userId),
    userGroupOwners(db).execute(),
    repositoryPermissions(db, user, { withNone }),
    groupLevels(db).execute({ userId }),
  ]);
  const ownGlobal = global.toSorted();
  const fallback = ownGlobal.find((name) => name.startsWith('usergroup.')) ?? 'usergroup.none';
  const userGroupLevels = groupRows
    .map(({ name, ownerId }): [string, string] => [
      name,
      user.admin || ownerId === userId ? 'usergroup.admin' : fallback,
    ])
    .filter(([, level]) => withNone || level !== 'usergroup.none');
  return {
    global: user.admin ? ['hg.admin', 'hg.create.write_on_repogroup.true'] : ownGlobal,
    repositories: rawJson(repositoriesJson) as PermissionsRecord['repositories'],
    repositories_groups: toMap(repoGroupRows, 'group', withNone),
    user_groups: Object.fromEntries(userGroupLevels),
  };
}
