import { levelName, levels } from '@trunkline/contracts';
import { prepared, repositories, users, type Db } from '@trunkline/db';
import { and, eq, sql, type SQL } from 'drizzle-orm';
import { effectiveLevel } from '../authz/repository/effective-level.ts';
import { heldParts } from '../repo/readable-page-store.ts';

const userId = sql`${sql.placeholder('userId')}::int`;
const withNone = sql`${sql.placeholder('withNone')}::boolean`;

/** Up to so many repositories that may be readable, reading each by index is cheaper than reading all rights at once. */
const fewMax = 1_000;
/** The largest integer of Postgres. */
const intMax = 2 ** 31 - 1;

/**
 * The map of a query's repositories, in the order of their ids, as JSON that is passed on as it is: rows would cost ten
 * times as much, and a map that is parsed and encoded again twice.
 */
function mapOf(level: SQL): SQL<string> {
  const names = Object.values(levels).map((one) => sql`when ${one}::int then ${`:"repository.${levelName(one)}"`}`);
  const member = sql`to_json(${repositories.name})::text || case ${level} ${sql.join(names, sql` `)} end`;
  return sql`'{' || coalesce(string_agg(${member}, ',' order by ${repositories.id}), '') || '}'`;
}

const countParts = prepared((db) =>
  db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`(${sql.join([...heldParts], sql` union all `)} limit ${fewMax + 1}) candidates`)
    .prepare('permission_candidates'),
);

const ofAdministrator = prepared((db) =>
  db
    .select({ map: mapOf(sql`${levels.admin}::int`) })
    .from(repositories)
    .where(eq(repositories.state, 'ready'))
    .prepare('permissions_of_administrator'),
);

const ofFew = prepared((db) => {
  const access = effectiveLevel(db, userId);
  // The candidates are an array, since Postgres expects few elements of one, and so reads the rights by index.
  return db
    .select({ map: mapOf(access.level) })
    .from(sql`unnest(array(${sql.join([...heldParts], sql` union `)})) candidates (id)`)
    .innerJoin(users, eq(users.id, userId))
    .innerJoin(repositories, and(sql`${repositories.id} = candidates.id`, eq(repositories.state, 'ready')))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoinLateral(access.byUserGroupOfRow.table, access.byUserGroupOfRow.on)
    .where(sql`${access.level} > 0`)
    .prepare('permissions_on_few');
});

const ofMany = prepared((db) => {
  const access = effectiveLevel(db, userId);
  return db
    .select({ map: mapOf(access.level) })
    .from(repositories)
    .innerJoin(users, eq(users.id, userId))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .where(and(eq(repositories.state, 'ready'), sql`(${withNone} or ${access.level} > 0)`))
    .prepare('permissions_on_many');
});

/**
 * Returns the level of a user on each ready repository, by name, as JSON: without those of level none unless `withNone`.
 * What the user has determines the query; each reads the rights itself.
 */
export async function repositoryPermissions(
  db: Db,
  user: { readonly id: number; readonly admin: boolean },
  shown: { readonly withNone: boolean },
): Promise<string> {
  const args = { userId: user.id };
  const read = async () => {
    if (user.admin) return ofAdministrator(db).execute();
    const ofPart = { ...args, after: 0 };
    const [candidates] = shown.withNone ? [] : await countParts(db).execute({ ...ofPart, count: fewMax + 1 });
    const isFew = candidates !== undefined && candidates.count <= fewMax;
    // Without a limit: there may be more candidates since they were counted.
    return isFew ? ofFew(db).execute({ ...ofPart, count: intMax }) : ofMany(db).execute({ ...args, ...shown });
  };
  const [row] = await read();
  return row?.map ?? '{}';
}
