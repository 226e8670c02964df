import { levels } from '@trunkline/contracts';
import { prepared, repositories, users, type Db } from '@trunkline/db';
import { and, eq, gte, sql } from 'drizzle-orm';
import { effectiveLevel } from '../../authz/repository/effective-level.ts';
import { forkSource, owners, repositoryColumns, sourceAccess, type RepositoryRow } from './repository-store.ts';

const readableById = prepared((db) => {
  const access = effectiveLevel(db, sql.placeholder('userId'));
  const source = sourceAccess(db);
  return db
    .select({ ...repositoryColumns, forkOf: source.name })
    .from(repositories)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .innerJoin(owners, eq(owners.id, repositories.ownerId))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .leftJoin(forkSource, and(eq(forkSource.id, repositories.forkOfId), eq(forkSource.state, 'ready')))
    .leftJoin(source.own.table, source.own.on)
    .leftJoin(source.defaultUser.table, source.defaultUser.on)
    .leftJoin(source.byUserGroup.table, source.byUserGroup.on)
    .where(
      and(
        eq(repositories.id, sql.placeholder('id')),
        eq(repositories.state, 'ready'),
        gte(access.level, sql.raw(String(levels.read))),
      ),
    )
    .prepare('readable_repository_by_id');
});

/** Finds a repository by id if the user may read it, by rights of the same snapshot. */
export async function findReadable(db: Db, id: number, userId: number): Promise<RepositoryRow | undefined> {
  const [row] = await readableById(db).execute({ id, userId });
  return row;
}
