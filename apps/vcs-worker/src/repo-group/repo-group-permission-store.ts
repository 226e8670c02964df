import {
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  userRepoGroupPermissions,
  userRepositoryPermissions,
  type Transaction,
} from '@trunkline/db';
import { eq, sql, type SQL } from 'drizzle-orm';
import { defaultUserId } from '../authz/effective-level.ts';
import type { NamedRepoGroup } from '../repo/repo-group-store.ts';

/** Who has a level on repository groups and repositories. */
export interface Holder {
  readonly kind: 'user' | 'user group';
  readonly id: number;
}

/** What a change of levels reaches: the group itself always, and below it nothing, repositories, groups or both. */
export interface Reach {
  readonly group: NamedRepoGroup;
  readonly below: 'none' | 'repos' | 'groups' | 'all';
}

const tablesOf = {
  user: {
    holder: sql.identifier('user_id'),
    onGroups: userRepoGroupPermissions,
    onRepositories: userRepositoryPermissions,
  },
  'user group': {
    holder: sql.identifier('user_group_id'),
    onGroups: userGroupRepoGroupPermissions,
    onRepositories: userGroupRepositoryPermissions,
  },
};

function groupsReached({ group, below }: Reach): SQL {
  const deeper = sql`starts_with(name, ${`${group.name}/`})`;
  const withGroups = below === 'groups' || below === 'all';
  return sql`select id from repo_groups where id = ${group.id}${withGroups ? sql` or ${deeper}` : sql``}`;
}

function repositoriesReached({ group, below }: Reach): SQL | undefined {
  if (below !== 'repos' && below !== 'all') return undefined;
  return sql`select id, private from repositories
    where starts_with(name, ${`${group.name}/`}) and state in ('ready', 'creating')`;
}

/** Gives a holder a level on all that is reached, except everybody on what is private; the group's name must be held. */
export async function setLevels(tx: Transaction, holder: Holder, reach: Reach, level: number): Promise<void> {
  const { holder: column, onGroups, onRepositories } = tablesOf[holder.kind];
  await tx.execute(sql`insert into ${onGroups} (${column}, repo_group_id, level)
    select ${holder.id}::int, id, ${level}::int from (${groupsReached(reach)}) reached order by id
    on conflict (${column}, repo_group_id) do update set level = excluded.level`);
  const repositories = repositoriesReached(reach);
  if (!repositories) return;
  const allowed = holder.kind === 'user' ? sql`not private or ${holder.id}::int <> ${defaultUserId}` : sql`true`;
  await tx.execute(sql`insert into ${onRepositories} (${column}, repository_id, level)
    select ${holder.id}::int, id, ${level}::int from (${repositories}) reached where ${allowed} order by id
    on conflict (${column}, repository_id) do update set level = excluded.level`);
}

/** Takes a holder's levels on all that is reached away; the group's name must be held. */
export async function removeLevels(tx: Transaction, holder: Holder, reach: Reach): Promise<void> {
  const { holder: column, onGroups, onRepositories } = tablesOf[holder.kind];
  await tx.execute(sql`delete from ${onGroups} where ${column} = ${holder.id}
    and repo_group_id in (${groupsReached(reach)})`);
  const repositories = repositoriesReached(reach);
  if (!repositories) return;
  await tx.execute(sql`delete from ${onRepositories} where ${column} = ${holder.id}
    and repository_id in (select id from (${repositories}) reached)`);
}

/** Gives a new group every level that holds on another one. */
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
