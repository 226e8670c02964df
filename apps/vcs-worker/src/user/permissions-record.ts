import { levelName, type PermissionsRecord } from '@trunkline/contracts';
import {
  prepared,
  repoGroups,
  repositories,
  userGlobalPermissions,
  userGroupGlobalPermissions,
  userGroupMembers,
  userGroups,
  users,
  type Executor,
} from '@trunkline/db';
import { and, asc, eq, sql } from 'drizzle-orm';
import { defaultUserId, effectiveLevel } from '../authz/effective-level.ts';
import { effectiveGroupLevel } from '../authz/effective-group-level.ts';

type Subject = { readonly id: number; readonly admin: boolean };

const repositoryLevels = prepared((executor) => {
  const userId = sql.placeholder('userId');
  const rule = effectiveLevel(executor, userId);
  return executor
    .select({ name: repositories.name, level: rule.level })
    .from(repositories)
    .innerJoin(users, eq(users.id, userId))
    .leftJoin(rule.own.table, rule.own.on)
    .leftJoin(rule.everybody.table, rule.everybody.on)
    .leftJoin(rule.byGroup.table, rule.byGroup.on)
    .where(eq(repositories.state, 'ready'))
    .orderBy(asc(repositories.id))
    .prepare('repository_levels');
});

const groupLevels = prepared((executor) =>
  executor
    .select({ name: repoGroups.name, level: effectiveGroupLevel(sql`${sql.placeholder('userId')}`) })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .orderBy(asc(repoGroups.id))
    .prepare('group_levels'),
);

async function globalNames(executor: Executor, userId: number): Promise<string[]> {
  const everybodysAndOwn = await executor
    .select({ permission: userGlobalPermissions.permission })
    .from(userGlobalPermissions)
    .where(sql`${userGlobalPermissions.userId} = ${userId} or ${userGlobalPermissions.userId} = ${defaultUserId}`);
  const ofGroups = await executor
    .select({ permission: userGroupGlobalPermissions.permission })
    .from(userGroupGlobalPermissions)
    .innerJoin(userGroupMembers, eq(userGroupMembers.userGroupId, userGroupGlobalPermissions.userGroupId))
    .innerJoin(userGroups, and(eq(userGroups.id, userGroupMembers.userGroupId), eq(userGroups.active, true)))
    .where(eq(userGroupMembers.userId, userId));
  return [...new Set([...everybodysAndOwn, ...ofGroups].map(({ permission }) => permission))].toSorted();
}

function toMap(rows: readonly { name: string; level: number }[], prefix: string, withNone: boolean) {
  const shown = rows.filter(({ level }) => withNone || level > 0);
  return Object.fromEntries(shown.map(({ name, level }) => [name, `${prefix}.${levelName(level)}`]));
}

/** Spec 2.2. A user's own map leaves out what he has no level on; an administrator sees every name. */
export async function loadPermissions(
  executor: Executor,
  subject: Subject,
  { withNone }: { withNone: boolean },
): Promise<PermissionsRecord> {
  const userId = subject.id;
  const ownGlobal = await globalNames(executor, userId);
  const fallback = ownGlobal.find((name) => name.startsWith('usergroup.')) ?? 'usergroup.none';
  const groupRows = await executor
    .select({ name: userGroups.name, ownerId: userGroups.ownerId })
    .from(userGroups)
    .orderBy(asc(userGroups.id));
  const userGroupLevels = groupRows
    .map(({ name, ownerId }): [string, string] => [
      name,
      subject.admin || ownerId === userId ? 'usergroup.admin' : fallback,
    ])
    .filter(([, level]) => withNone || level !== 'usergroup.none');
  return {
    global: subject.admin ? ['hg.admin', 'hg.create.write_on_repogroup.true'] : ownGlobal,
    repositories: toMap(await repositoryLevels(executor).execute({ userId }), 'repository', withNone),
    repositories_groups: toMap(await groupLevels(executor).execute({ userId }), 'group', withNone),
    user_groups: Object.fromEntries(userGroupLevels),
  };
}
