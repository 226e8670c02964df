import { ConflictError, InvalidArgsError, UnavailableError, WrongStorageError } from '@trunkline/contracts';
import { type Db, prepared, storages } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import type { ServedStorage, Storages } from './storages.ts';

const stateOf = prepared((db) =>
  db
    .select({ name: storages.name, state: storages.state })
    .from(storages)
    .where(eq(storages.id, sql.placeholder('id')))
    .prepare('storage_state'),
);

type Stored = Pick<typeof storages.$inferSelect, 'name' | 'state'>;

/** Throws the client's error when operators have taken writes from the storage. */
export function requireTakesWrites(storageId: string, storage: Stored | undefined): void {
  if (storage?.state === 'active' || storage?.state === 'draining') return;
  if (storage?.state === 'read-only') throw new ConflictError(`Storage \`${storage.name}\` is read-only`);
  throw new UnavailableError({ cause: new Error(`the storage ${storage?.name ?? storageId} is ${storage?.state}`) });
}

/**
 * Throws the client's error when operators have taken writes from the storage. A repository whose bytes are lost can be
 * deleted.
 */
export async function requireWritable(
  db: Db,
  storageId: string,
  { deletes = false }: { readonly deletes?: boolean } = {},
): Promise<void> {
  const [storage] = await stateOf(db).execute({ id: storageId });
  if (deletes && storage?.state === 'lost') return;
  requireTakesWrites(storageId, storage);
}

/** Returns whether operators let the service write to the storage. */
export async function isWritable(db: Db, storageId: string): Promise<boolean> {
  const [storage] = await stateOf(db).execute({ id: storageId });
  return storage?.state === 'active' || storage?.state === 'draining';
}

/**
 * Throws unless this worker serves the storage of a repository: WrongStorageError, which names the storage to the
 * gateway, or UnavailableError when no worker serves it. To be called after the caller's rights were decided. With
 * `takesLost`, a storage whose bytes are lost need not be served.
 */
export async function requireServed(
  db: Db,
  served: Pick<Storages, 'ids'>,
  { storageId }: { readonly storageId: string },
  { takesLost = false }: { readonly takesLost?: boolean | undefined } = {},
): Promise<void> {
  if (served.ids.includes(storageId)) return;
  const [storage] = await db
    .select({ name: storages.name, state: storages.state })
    .from(storages)
    .where(eq(storages.id, storageId));
  if (takesLost && storage?.state === 'lost') return;
  const isAway = !storage || storage.state === 'offline' || storage.state === 'lost';
  if (isAway) throw new UnavailableError({ cause: new Error(`the storage ${storageId} is ${storage?.state}`) });
  throw new WrongStorageError(storage.name);
}

/** Throws the client's error when the storage would be full with as many bytes more. */
export async function requireSpace({ storage, watch }: ServedStorage, bytes: number): Promise<void> {
  if (!(await watch.hasSpaceFor(bytes))) throw new ConflictError(`Storage \`${storage.name}\` is full`);
}

export interface MoveTarget {
  readonly id: string;
  readonly name: string;
}

/** What is to be moved: its storage, and its size, null while that is unknown. */
interface Moved {
  readonly storageId: string;
  readonly bytes: number | null;
}

/** Returns the storage with this name; throws the client's error when repositories cannot be moved there. */
export async function requireMoveTarget(db: Db, name: string, { storageId, bytes }: Moved): Promise<MoveTarget> {
  const columns = { id: storages.id, name: storages.name, state: storages.state, freeBytes: storages.freeBytes };
  const [target] = await db.select(columns).from(storages).where(eq(storages.name, name));
  if (!target) throw new InvalidArgsError(`Invalid value for \`storage\`: no storage has the name \`${name}\``);
  if (target.id === storageId) {
    throw new InvalidArgsError(`Invalid value for \`storage\`: the repository is on storage \`${name}\` already`);
  }
  if (target.state !== 'active') throw new ConflictError(`Storage \`${name}\` is ${target.state}`);
  if (bytes !== null && target.freeBytes !== null && bytes > target.freeBytes) {
    throw new ConflictError(`Storage \`${name}\` has not enough free space: ${bytes} bytes are needed`);
  }
  return target;
}
