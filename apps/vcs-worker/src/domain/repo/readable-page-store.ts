import { levels } from '@trunkline/contracts';
import { prepared, repositories, users, type Db } from '@trunkline/db';
import { and, eq, sql, type SQL } from 'drizzle-orm';
import { defaultUserId, effectiveLevel } from '../../authz/effective-level.ts';

const userId = sql`${sql.placeholder('userId')}::int`;
/** The id after which candidates are read. */
export const after = sql`${sql.placeholder('after')}::int`;
/** How many candidates are read. */
export const count = sql`${sql.placeholder('count')}::int`;

/** Which of the candidates in the order of their ids are read. */
interface Part {
  readonly after: SQL;
  readonly count: SQL;
}

/**
 * The condition and order of the candidates that `column` assigns to `holder`. Compared as rows, they can only be read
 * in order of an index that begins with `column`; an equation would also allow one by repository alone, which passes
 * over the rows of all others.
 */
export function heldBy(column: SQL, id: SQL, holder: SQL, part: Part = { after, count }): SQL {
  return sql`(${column}, ${id}) > (${holder}, ${part.after}) and ${column} <= ${holder}
    order by ${column}, ${id} limit ${part.count}`;
}

const grantedTo = (user: SQL, part: Part) => sql`select repository_id from user_repository_permissions
  where level > 0 and ${heldBy(sql`user_id`, sql`repository_id`, user, part)}`;

/**
 * Query for the first `count` candidates of `source` and whether the user may read them. They are an array since
 * Postgres expects few elements of one, and so reads the rights by index even before it knows `count`.
 */
export function candidateQuery(name: string, source: SQL) {
  return prepared((db) => {
    const access = effectiveLevel(db, userId);
    return db
      .select({
        id: sql<number>`candidates.id`,
        readable: sql<boolean>`${repositories.id} is not null and ${access.level} >= ${levels.read}`,
      })
      .from(sql`unnest(array(${source})) candidates (id)`)
      .innerJoin(users, eq(users.id, userId))
      .leftJoin(repositories, and(sql`${repositories.id} = candidates.id`, eq(repositories.state, 'ready')))
      .leftJoin(access.own.table, access.own.on)
      .leftJoin(access.defaultUser.table, access.defaultUser.on)
      .leftJoinLateral(access.byUserGroupOfRow.table, access.byUserGroupOfRow.on)
      .orderBy(sql`candidates.id`)
      .prepare(name);
  });
}

/**
 * The repositories on which a user may have a level: those that the user owns, and those with a row that gives a level.
 * Each query reads an index, from `after` on, and stops at `count`.
 */
export function heldBySomeRight(user: SQL, part: Part): readonly SQL[] {
  return [
    sql`(select id from repositories where ${heldBy(sql`owner_id`, sql`id`, user, part)})`,
    sql`(${grantedTo(user, part)})`,
    sql`(${grantedTo(defaultUserId, part)})`,
    sql`(select of_group.repository_id from user_group_members member
      join user_groups on user_groups.id = member.user_group_id and user_groups.active
      cross join lateral (select repository_id from user_group_repository_permissions
        where level > 0 and ${heldBy(sql`user_group_id`, sql`repository_id`, sql`member.user_group_id`, part)}) of_group
      where member.user_id = ${user})`,
  ];
}

/** The same of the user `userId` of a query. */
export const heldParts = heldBySomeRight(userId, { after, count });

/** Candidates beyond the page that the first statement reads, since a few may turn out not to be readable. */
export const spareCandidates = 16;
export const candidatesMax = 10_000;

export interface IdPage {
  readonly limit: number;
  readonly cursor: number | null;
}

/**
 * Returns the first `limit` rows after `cursor`, in order of id, of the candidates that the user may read. `rowsOf`
 * reads the rows for ids. The transaction has to see one snapshot: then a row shows nothing that was written after its
 * repository was hidden from the user. The cost depends on the page and on how many candidates turn out not to be
 * readable, not on the length of the list.
 */
export async function readPage<Row>(
  tx: Db,
  candidates: ReturnType<typeof candidateQuery>,
  args: { readonly userId: number; readonly holderId?: number },
  { limit, cursor }: IdPage,
  rowsOf: (ids: readonly number[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let last = cursor ?? 0;
  for (let size = limit + spareCandidates; ; size = Math.min(2 * size, candidatesMax)) {
    const batch = await candidates(tx).execute({ ...args, after: last, count: size });
    const readable = batch.filter((one) => one.readable).map(({ id }) => id);
    const ids = readable.slice(0, limit - rows.length);
    if (ids.length > 0) rows.push(...(await rowsOf(ids)));
    const isUsedUp = ids.length === readable.length;
    if (rows.length >= limit || (isUsedUp && batch.length < size)) return rows;
    last = (isUsedUp ? batch.at(-1)?.id : ids.at(-1)) ?? last;
  }
}
