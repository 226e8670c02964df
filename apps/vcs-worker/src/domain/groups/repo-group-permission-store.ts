import { levels } from '@trunkline/contracts';
import {
  repoGroups,
  repositories,
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  userRepoGroupPermissions,
  userRepositoryPermissions,
  users,
  type Transaction,
} from '@trunkline/db';
import { and, eq, inArray, or, sql, type SQL } from 'drizzle-orm';
import { defaultUserId, effectiveGroupLevel, effectiveLevel } from '../../authz/effective-level.ts';
import { isBelow } from '../repo/name-store.ts';
import type { PrincipalKind } from '../user/principal.ts';
import type { NamedRepoGroup } from './repo-group-store.ts';

/**
 * The objects on which levels change: the group itself and, below it, the repositories, the groups or both, as far as the
 * caller administers them.
 */
interface Reach {
  readonly group: NamedRepoGroup;
  readonly below: 'repos' | 'groups' | 'all';
  readonly administeredBy: { readonly id: number };
}

const tablesOf = {
  user: {
    principal: sql.identifier('user_id'),
    onGroups: userRepoGroupPermissions,
    onRepositories: userRepositoryPermissions,
  },
  'user group': {
    principal: sql.identifier('user_group_id'),
    onGroups: userGroupRepoGroupPermissions,
    onRepositories: userGroupRepositoryPermissions,
  },
};

function groupsReached(tx: Transaction, { group, below, administeredBy }: Reach): SQL {
  const deeper = below === 'repos' ? sql`false` : isBelow(repoGroups.name, group.name);
  return tx
    .select({ id: repoGroups.id })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, administeredBy.id))
    .where(
      and(
        or(eq(repoGroups.id, group.id), deeper),
        sql`${effectiveGroupLevel(sql`${administeredBy.id}`)} >= ${levels.admin}`,
      ),
    )
    .getSQL();
}

function repositoriesReached(tx: Transaction, { group, below, administeredBy }: Reach): SQL | undefined {
  if (below === 'groups') return undefined;
  const access = effectiveLevel(tx, administeredBy.id);
  return tx
    .select({ id: repositories.id, private: repositories.private })
    .from(repositories)
    .innerJoin(users, eq(users.id, administeredBy.id))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .where(
      and(
        isBelow(repositories.name, group.name),
        inArray(repositories.state, ['ready', 'creating']),
        sql`${access.level} >= ${levels.admin}`,
      ),
    )
    .getSQL();
}

/**
 * Sets a principal's level on all objects reached, except the level of `default` on private repositories. The group's row
 * must be locked.
 */
export async function setLevels(
  tx: Transaction,
  principal: { readonly kind: PrincipalKind; readonly id: number },
  reach: Reach,
  level: number,
): Promise<void> {
  const { principal: column, onGroups, onRepositories } = tablesOf[principal.kind];
  await tx.execute(sql`insert into ${onGroups} (${column}, repo_group_id, level)
    select ${principal.id}::int, id, ${level}::int from (${groupsReached(tx, reach)}) reached order by id
    on conflict (${column}, repo_group_id) do update set level = excluded.level`);
  const reached = repositoriesReached(tx, reach);
  if (!reached) return;
  const allowed = principal.kind === 'user' ? sql`not private or ${principal.id}::int <> ${defaultUserId}` : sql`true`;
  await tx.execute(sql`insert into ${onRepositories} (${column}, repository_id, level)
    select ${principal.id}::int, id, ${level}::int from (${reached}) reached where ${allowed} order by id
    on conflict (${column}, repository_id) do update set level = excluded.level`);
}

/** Removes a principal's levels on all objects reached. The group's row must be locked. */
export async function removeLevels(
  tx: Transaction,
  principal: { readonly kind: PrincipalKind; readonly id: number },
  reach: Reach,
): Promise<void> {
  const { principal: column, onGroups, onRepositories } = tablesOf[principal.kind];
  await tx.execute(sql`delete from ${onGroups} where ${column} = ${principal.id}
    and repo_group_id in (${groupsReached(tx, reach)})`);
  const reached = repositoriesReached(tx, reach);
  if (!reached) return;
  await tx.execute(sql`delete from ${onRepositories} where ${column} = ${principal.id}
    and repository_id in (select id from (${reached}) reached)`);
}

/** Copies every level on one group to a new group. */
export async function copyLevels(tx: Transaction, fromId: number, toId: number): Promise<void> {
  const repoGroupId = sql<number>`${toId}::int`.as('repo_group_id');
  const ofUsers = userRepoGroupPermissions;
  const ofGroups = userGroupRepoGroupPermissions;
  await tx
    .insert(ofUsers)
    .select(
      tx
        .select({ userId: ofUsers.userId, repoGroupId, level: ofUsers.level, grantedAt: ofUsers.grantedAt })
        .from(ofUsers)
        .where(eq(ofUsers.repoGroupId, fromId)),
    );
  await tx.insert(ofGroups).select(
    tx
      .select({
        userGroupId: ofGroups.userGroupId,
        repoGroupId,
        level: ofGroups.level,
        grantedAt: ofGroups.grantedAt,
      })
      .from(ofGroups)
      .where(eq(ofGroups.repoGroupId, fromId)),
  );
}
