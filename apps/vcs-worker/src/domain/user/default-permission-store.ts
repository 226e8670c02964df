import { DefaultPermissionsRecord } from '@trunkline/contracts';
import {
  type Db,
  prepared,
  repoGroups,
  repositories,
  type Transaction,
  userGlobalPermissions,
  userRepoGroupPermissions,
  userRepositoryPermissions,
  users,
} from '@trunkline/db';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { defaultUserId } from '../../authz/effective-level.ts';

const { repository, group, usergroup, register } = DefaultPermissionsRecord.entries;

/** Groups of permissions of which the user `default` has exactly one. */
export const choices = {
  repository: repository.options,
  group: group.options,
  usergroup: usergroup.options,
  register: register.options,
} as const;

/** Permissions that the user `default` either has or does not have. */
export const switches = {
  create_repository: 'hg.create.repository',
  fork_repository: 'hg.fork.repository',
} as const;

/** Returns the record of the user `default`'s permissions; a group without a permission shows its first choice. */
export function toDefaultPermissionsRecord(permissions: readonly string[]): DefaultPermissionsRecord {
  const chosen = <P extends string>(known: readonly [P, ...P[]]): P =>
    known.find((one) => permissions.includes(one)) ?? known[0];
  return {
    repository: chosen(choices.repository),
    group: chosen(choices.group),
    usergroup: chosen(choices.usergroup),
    create_repository: permissions.includes(switches.create_repository),
    fork_repository: permissions.includes(switches.fork_repository),
    register: chosen(choices.register),
  };
}

const ofDefaultUser = prepared((db) =>
  db
    .select({ permission: userGlobalPermissions.permission })
    .from(userGlobalPermissions)
    .where(eq(userGlobalPermissions.userId, defaultUserId))
    .prepare('default_permissions'),
);

/** Lists the permissions of the user `default`: global ones, and the levels on new objects. */
export async function listDefaultPermissions(db: Db): Promise<string[]> {
  const rows = await ofDefaultUser(db).execute();
  return rows.map(({ permission }) => permission);
}

export async function loadDefaultPermissions(db: Db): Promise<DefaultPermissionsRecord> {
  return toDefaultPermissionsRecord(await listDefaultPermissions(db));
}

/**
 * Gives the user `default` one of these permissions and removes the others; removes all of them when `chosen` is null.
 */
export async function choosePermission(tx: Transaction, among: readonly string[], chosen: string | null) {
  await tx
    .delete(userGlobalPermissions)
    .where(and(eq(userGlobalPermissions.userId, defaultUserId), inArray(userGlobalPermissions.permission, [...among])));
  if (chosen !== null)
    await tx.insert(userGlobalPermissions).values({ userId: defaultUserId, permission: chosen }).onConflictDoNothing();
}

/** Sets the level of the user `default` on every repository that is not private. */
export async function overwriteRepositoryLevels(tx: Transaction, level: number): Promise<void> {
  await tx.execute(sql`
    insert into ${userRepositoryPermissions} (user_id, repository_id, level)
      select ${defaultUserId}, id, ${level} from ${repositories} where not private order by ${repositories.id}
      on conflict (user_id, repository_id) do update set level = excluded.level`);
}

/** Sets the level of the user `default` on every repository group. */
export async function overwriteGroupLevels(tx: Transaction, level: number): Promise<void> {
  await tx.execute(sql`
    insert into ${userRepoGroupPermissions} (user_id, repo_group_id, level)
      select ${defaultUserId}, id, ${level} from ${repoGroups} order by ${repoGroups.id}
      on conflict (user_id, repo_group_id) do update set level = excluded.level`);
}

/**
 * Serialises changes of the default permissions, and of any user's networks, until the transaction ends; grants and
 * reads need not wait.
 */
export async function lockDefaultUser(tx: Transaction): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.usernameKey, 'default')).for('no key update');
}
