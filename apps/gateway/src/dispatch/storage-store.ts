import { InternalError, UnavailableError } from '@trunkline/contracts';
import { databaseFailure, prepared, repositories, storages, type Database } from '@trunkline/db';
import { and, eq, or, sql } from 'drizzle-orm';

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

/** Converts a failure of a query on which a call waits to the client's error. */
function throwClientError(error: unknown): never {
  const cause = error instanceof Error ? error.cause : error;
  throw databaseFailure(error) ? new UnavailableError({ cause }) : new InternalError({ cause });
}

export function listStorages(db: Database): Promise<readonly KnownStorage[]> {
  return listQuery(db).execute().catch(throwClientError);
}

/** Finds a repository by the reference of a call, whether the caller may read it or not. */
export async function locateRepository(db: Database, ref: { readonly id: number } | { readonly name: string }) {
  const [found] = await locateQuery(db)
    .execute({ id: 'id' in ref ? ref.id : null, name: 'name' in ref ? ref.name : null })
    .catch(throwClientError);
  return found ?? null;
}

export type LocatedRepository = NonNullable<Awaited<ReturnType<typeof locateRepository>>>;
