import { prepared, repositories, storages, type Database } from '@trunkline/db';
import { and, eq, or, sql } from 'drizzle-orm';
import { throwAsRpcError } from '../throw-as-rpc-error.ts';

export type KnownStorage = Pick<
  typeof storages.$inferSelect,
  'id' | 'name' | 'state' | 'weight' | 'capacityBytes' | 'freeBytes'
>;

const listQuery = prepared((db) =>
  db
    .select({
      id: storages.id,
      name: storages.name,
      state: storages.state,
      weight: storages.weight,
      capacityBytes: storages.capacityBytes,
      freeBytes: storages.freeBytes,
    })
    .from(storages)
    .orderBy(storages.name)
    .prepare('storages'),
);

const locateQuery = prepared((db) =>
  db
    .select({ id: repositories.id, name: repositories.name, storageId: repositories.storageId })
    .from(repositories)
    .where(
      and(
        or(
          eq(repositories.id, sql`${sql.placeholder('id')}::int`),
          eq(repositories.name, sql`${sql.placeholder('name')}::text`),
        ),
        eq(repositories.state, 'ready'),
      ),
    )
    .limit(1)
    .prepare('locate_repository'),
);

export function listStorages(db: Database): Promise<readonly KnownStorage[]> {
  return listQuery(db).execute().catch(throwAsRpcError);
}

/** Finds a repository by the reference of a call, whether the caller may read it or not. */
export async function locateRepository(db: Database, ref: { readonly id: number } | { readonly name: string }) {
  const [found] = await locateQuery(db)
    .execute({ id: 'id' in ref ? ref.id : null, name: 'name' in ref ? ref.name : null })
    .catch(throwAsRpcError);
  return found ?? null;
}

export type LocatedRepository = NonNullable<Awaited<ReturnType<typeof locateRepository>>>;
