import { levelName, levels } from '@trunkline/contracts';
import { type Db, repoGroups, repositories, userGroups } from '@trunkline/db';
import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { effectiveGroupLevel, effectiveLevel } from '../../authz/effective-level.ts';
import { heldBySomeRight } from '../repo/readable-page-store.ts';

/** Row of the user in the query, whose maps are made. */
type User = Readonly<Record<'id' | 'admin', PgColumn>>;

/**
 * From so many repositories on that may be readable, reading all rights at once is cheaper than each by index. Of few
 * repositories in all, as Postgres has last counted them, counting would cost more than it saves.
 */
const moreThanFew = sql`1001`;

/**
 * A map from names to levels in the order of `order`, as JSON that is passed on as it is: rows would cost ten times as
 * much, and a map that is parsed and encoded again twice. No grammar of names has a character that JSON escapes, but a row
 * from elsewhere that has one must not break the answers to all administrators.
 */
function mapOf(name: SQL, level: SQL, order: SQL): SQL<string> {
  const member = sql`to_json(${name})::text || ${level}`;
  return sql`'{' || coalesce(string_agg(${member}, ',' order by ${order}), '') || '}'`;
}

/** What follows the name in a member whose value is a level. */
function levelValue(prefix: string, level: SQL): SQL {
  const names = Object.values(levels).map((one) => sql.raw(`when ${one} then ':"${prefix}.${levelName(one)}"'`));
  return sql`case ${level} ${sql.join(names, sql` `)} end`;
}

const ofRepository = (level: SQL) =>
  mapOf(sql`${repositories.name}`, levelValue('repository', level), sql`${repositories.id}`);

/** The level on each ready repository; without those of level none unless `withNone`. What the user has determines how it is read. */
export function repositoryMap(db: Db, user: User, withNone: SQL): SQL<string> {
  const access = effectiveLevel(db, sql`${user.id}`, repositories, '', user);
  const isReady = eq(repositories.state, 'ready');
  const held = (count: SQL) => [...heldBySomeRight(sql`${user.id}`, { after: sql`0`, count })];
  const admin = sql`(select ${ofRepository(sql.raw(String(levels.admin)))} from ${repositories} where ${isReady})`;
  // The candidates are an array, since Postgres expects few elements of one, and so reads the rights by index.
  const few = db
    .select({ map: ofRepository(access.level) })
    .from(sql`unnest(array(${sql.join(held(sql`all`), sql` union `)})) candidates (id)`)
    .innerJoin(repositories, and(sql`${repositories.id} = candidates.id`, isReady))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoinLateral(access.byUserGroupOfRow.table, access.byUserGroupOfRow.on)
    .where(sql`${access.level} > 0`);
  const many = db
    .select({ map: ofRepository(access.level) })
    .from(repositories)
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .where(and(isReady, sql`(${withNone} or ${access.level} > 0)`));
  const counted = sql.join(held(moreThanFew), sql` union all `);
  // Postgres evaluates the branch that it takes alone. Without a limit there, more candidates than were counted are found, too.
  return sql`case when ${user.admin} then ${admin}
    when not ${withNone} and (select reltuples > 2000 from pg_class where oid = 'repositories'::regclass)
      and (select count(*) from (${counted} limit ${moreThanFew}) candidates) < ${moreThanFew} then ${few}
    else ${many} end`;
}

/** The level on each repository group. */
export function repoGroupMap(user: User, withNone: SQL): SQL<string> {
  const level = effectiveGroupLevel(sql`${user.id}`, user);
  // With an offset Postgres determines each level once.
  return sql`(select ${mapOf(sql`name`, levelValue('group', sql`level`), sql`id`)}
    from (select ${repoGroups.id}, ${repoGroups.name}, ${level} as level from ${repoGroups} offset 0) leveled
    where ${withNone} or level > 0)`;
}

/** The level on each user group: the user's own are administered, and all others have the level that `permissions` give. */
export function userGroupMap(user: User, permissions: SQL, withNone: SQL): SQL<string> {
  const others = sql`coalesce((select min(one) from unnest(${permissions}) one where one like 'usergroup.%'), 'usergroup.none')`;
  return sql`(select ${mapOf(sql`name`, sql`':' || to_json(permission)::text`, sql`id`)}
    from (select ${userGroups.id}, ${userGroups.name}, case when ${user.admin} or ${userGroups.ownerId} = ${user.id}
        then 'usergroup.admin' else of_others.permission end as permission
      from ${userGroups}, (select ${others} as permission offset 0) of_others offset 0) leveled
    where ${withNone} or permission <> 'usergroup.none')`;
}
