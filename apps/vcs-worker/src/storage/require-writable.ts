import { ConflictError, UnavailableError } from '@trunkline/contracts';
import { storages, type Db } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/**
 * Throws the client's error when operators have taken writes from the storage. A repository whose bytes are lost can be
 * deleted.
 */
export async function requireWritable(
  db: Db,
  storageId: string,
  { deletes = false }: { readonly deletes?: boolean } = {},
): Promise<void> {
  const [storage] = await db
    .select({ name: storages.name, state: storages.state })
    .from(storages)
    .where(eq(storages.id, storageId));
  if (storage?.state === 'active' || storage?.state === 'draining') return;
  if (deletes && storage?.state === 'lost') return;
  if (storage?.state === 'read-only') throw new ConflictError(`Storage \`${storage.name}\` is read-only`);
  throw new UnavailableError({ cause: new Error(`the storage ${storage?.name ?? storageId} is ${storage?.state}`) });
}

/** Returns whether operators let the service write to the storage. */
export async function isWritable(db: Db, storageId: string): Promise<boolean> {
  const [storage] = await db.select({ state: storages.state }).from(storages).where(eq(storages.id, storageId));
  return storage?.state === 'active' || storage?.state === 'draining';
}
