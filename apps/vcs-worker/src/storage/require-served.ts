import { UnavailableError, WrongStorageError } from '@trunkline/contracts';
import { storages as table, type Db } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import type { Storages } from './storages.ts';

/**
 * Throws unless this worker serves the storage of a repository: WrongStorageError, which names the storage to the
 * gateway, or UnavailableError when no worker serves it. To be called after the caller's rights were decided. With
 * `takesLost`, a storage whose bytes are lost need not be served.
 */
export async function requireServed(
  db: Db,
  storages: Pick<Storages, 'ids'>,
  { storageId }: { readonly storageId: string },
  { takesLost = false }: { readonly takesLost?: boolean | undefined } = {},
): Promise<void> {
  if (storages.ids.includes(storageId)) return;
  const [storage] = await db
    .select({ name: table.name, state: table.state })
    .from(table)
    .where(eq(table.id, storageId));
  if (takesLost && storage?.state === 'lost') return;
  const isAway = !storage || storage.state === 'offline' || storage.state === 'lost';
  if (isAway) throw new UnavailableError({ cause: new Error(`the storage ${storageId} is ${storage?.state}`) });
  throw new WrongStorageError(storage.name);
}
