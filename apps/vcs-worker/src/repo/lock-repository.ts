import type { EntityRef } from '@trunkline/contracts';
import { repositories } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import { repositoryNotFound } from '../authz/authorize.ts';
import { requireRepository } from '../authz/repository/require-repository.ts';
import type { WriteScope } from '../methods/context.ts';

/**
 * `key share` keeps other transactions from renaming or deleting the repository, `share` from changing the row at all.
 * Changes of the repository or its permissions take `no key update`, renames and deletions `update`, as the first lock
 * on the row: two transactions that upgraded a shared lock would deadlock.
 */
type Strength = 'key share' | 'share' | 'no key update' | 'update';

/**
 * Locks the repository that the call names until the transaction ends. Rights were read before the lock and are read
 * again under it: a rename, a deletion or a revoked right since then is an error.
 */
export async function lockRepository({ db, access, authorize }: WriteScope, ref: EntityRef, strength: Strength) {
  const { id } = requireRepository(access, ref);
  const stillNamed = ref.name === null ? undefined : eq(repositories.name, ref.name);
  const [row] = await db
    .select({
      id: repositories.id,
      name: repositories.name,
      uuid: repositories.uuid,
      type: repositories.type,
      private: repositories.private,
      storageId: repositories.storageId,
      storagePath: repositories.storagePath,
      sizeBytes: repositories.sizeBytes,
    })
    .from(repositories)
    .where(and(eq(repositories.id, id), eq(repositories.state, 'ready'), stillNamed))
    .for(strength);
  if (!row) throw repositoryNotFound(ref);
  return { ...requireRepository(await authorize(), ref), ...row };
}
