import type { DefaultPermissionsRecord } from '@trunkline/contracts';
import {
  prepared,
  repoGroups,
  repositories,
  userGlobalPermissions,
  userRepoGroupPermissions,
  userRepositoryPermissions,
  type Db,
  type Transaction,
} from '@trunkline/db';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { defaultUserId } from '../../authz/repository/effective-level.ts';
import { toDefaultPermissionsRecord } from './default-permissions-record.ts';

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
