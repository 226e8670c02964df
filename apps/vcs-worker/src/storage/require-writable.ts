import { ConflictError, UnavailableError } from '@trunkline/contracts';
import { prepared, storages, type Db } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';

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
