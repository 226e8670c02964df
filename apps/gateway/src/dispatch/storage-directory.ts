import { prepared, repositories, storages, type Database } from '@trunkline/db';
import { and, eq, or, sql } from 'drizzle-orm';
import { throwAsRpcError } from '../queries.ts';
import type { Clock } from '../clock.ts';

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

/** Time after which the list of storages is read again; calls do not wait for that. */
const freshMs = 5_000;

interface Listed {
  readonly at: number;
  readonly storages: readonly KnownStorage[];
}

/** The storages that the database knows, as a gateway has last read them. */
export class StorageDirectory {
  readonly #read: () => Promise<readonly KnownStorage[]>;
  readonly #clock: Clock;
  #listed: Listed | undefined;
  #reading: Promise<readonly KnownStorage[]> | undefined;

  constructor(read: () => Promise<readonly KnownStorage[]>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** Returns all storages. Only the first call waits for the database, and fails when the database does. */
  async all(): Promise<readonly KnownStorage[]> {
    const listed = this.#listed;
    if (!listed || listed.storages.length === 0) return this.refreshed();
    // The storages of the last successful read are used on, also while the database cannot be reached.
    if (this.#clock.now() - listed.at >= freshMs) void this.refreshed().catch(() => {});
    return listed.storages;
  }

  /** Reads the storages again. */
  refreshed(): Promise<readonly KnownStorage[]> {
    this.#reading ??= this.#read()
      .then((storages) => {
        this.#listed = { at: this.#clock.now(), storages };
        return storages;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  nameOf(id: string): string | null {
    return this.#listed?.storages.find((one) => one.id === id)?.name ?? null;
  }
}
