import { type EntityRef, levels } from '@trunkline/contracts';
import { type Db, prepared, repositories, users } from '@trunkline/db';
import { and, eq, gte, inArray, sql } from 'drizzle-orm';
import { repositoryNotFound } from '../../authz/authorize.ts';
import { effectiveLevel } from '../../authz/effective-level.ts';

const readableNames = prepared((db) => {
  const access = effectiveLevel(db, sql.placeholder('userId'));
  const isMeant = sql`${repositories.id} = any(array(
    select unnest(${sql.placeholder('ids')}::int[])
    union select id from repositories where name = any(${sql.placeholder('names')}::text[])))`;
  return db
    .select({ id: repositories.id, name: repositories.name })
    .from(repositories)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoinLateral(access.byUserGroupOfRow.table, access.byUserGroupOfRow.on)
    .where(and(isMeant, eq(repositories.state, 'ready'), gte(access.level, sql.raw(String(levels.read)))))
    .orderBy(repositories.id)
    .prepare('readable_names');
});

interface Meant {
  readonly ids: readonly number[];
  readonly names: readonly string[];
}

/** Finds the ids and names of those of these repositories that the user may read, by id. */
export function findReadableNames(db: Db, userId: number, { ids, names }: Meant) {
  return readableNames(db).execute({ userId, ids, names });
}

/** Returns the names of repositories by id; throws the error of a missing one for the first that the user may not read. */
export async function requireReadableNames(
  db: Db,
  userId: number,
  refs: readonly EntityRef[],
): Promise<Map<number, string>> {
  const ids = refs.flatMap(({ id }) => id ?? []);
  const names = refs.flatMap(({ name }) => name ?? []);
  const found = await findReadableNames(db, userId, { ids, names });
  const missing = refs.find((ref) => !found.some(({ id, name }) => id === ref.id || name === ref.name));
  if (missing) throw repositoryNotFound(missing);
  return new Map(found.map(({ id, name }) => [id, name]));
}

/** Finds the names of the repositories with these ids; those that are being created or deleted are left out. */
export function findRepositoryNames(db: Db, ids: readonly number[]) {
  return db
    .select({ id: repositories.id, name: repositories.name })
    .from(repositories)
    .where(and(inArray(repositories.id, [...ids]), eq(repositories.state, 'ready')));
}
