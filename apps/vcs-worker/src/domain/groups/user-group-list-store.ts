import type { EntityRef, ListedUserGroup } from '@trunkline/contracts';
import { userGroupMembers, userGroups, users, type Db } from '@trunkline/db';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { userGroupNamed, userGroupNotFound } from './user-group-store.ts';

const columns = {
  users_group_id: userGroups.id,
  group_name: userGroups.name,
  description: userGroups.description,
  active: userGroups.active,
  owner: users.username,
  members: sql<number>`(select count(*)::int from ${userGroupMembers} m where m.user_group_id = ${userGroups.id})`,
};

/** Lists a page of the user groups that match a regular expression and have a given member, by name. */
export async function listListedUserGroups(
  db: Db,
  { pattern, memberId }: { readonly pattern: string | null; readonly memberId: number | null },
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Promise<ListedUserGroup[]> {
  const hasMember = sql`exists (select 1 from ${userGroupMembers} m
    where m.user_group_id = ${userGroups.id} and m.user_id = ${memberId})`;
  return db
    .select(columns)
    .from(userGroups)
    .innerJoin(users, eq(users.id, userGroups.ownerId))
    .where(
      and(
        gt(userGroups.name, cursor ?? ''),
        pattern === null ? undefined : sql`${userGroups.name} ~ ${pattern}`,
        memberId === null ? undefined : hasMember,
      ),
    )
    .orderBy(asc(userGroups.name))
    .limit(limit);
}

export async function requireListedUserGroup(db: Db, ref: EntityRef): Promise<ListedUserGroup> {
  const [row] = await db
    .select(columns)
    .from(userGroups)
    .innerJoin(users, eq(users.id, userGroups.ownerId))
    .where(userGroupNamed(ref));
  if (!row) throw userGroupNotFound(ref);
  return row;
}
