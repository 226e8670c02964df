import type { EntityRef } from '@trunkline/contracts';
import { repositories } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import { repositoryNotFound } from '../authz/authorize.ts';
import { requireRepository } from '../authz/repository/require-repository.ts';
import type { WriteScope } from '../methods/context.ts';

/**
 * `key share` keeps other transactions from renaming or deleting the repository, `share` from changing it at all. A
 * transaction that changes it or its permissions takes `no key update`, one that renames or deletes it `update`, and
 * takes that lock first: two that upgraded a shared lock would deadlock.
 */
type Strength = 'key share' | 'share' | 'no key update' | 'update';

/**
 * Locks the repository that the call names until the transaction ends. Rights were read before the lock and are read
 * again under it: a repository that was renamed or deleted since, or a right that was revoked, is an error now.
 */
export async function lockRepository({ db, access, authorize }: WriteScope, ref: EntityRef, strength: Strength) {
  const { id } = requireRepository(access, ref);
  const stillNamed = ref.name === null ? undefined : eq(repositories.name, ref.name);
  const [row] = await db
    .select({
      id: repositories.id,
      name: repositories.name,
      type: repositories.type,
      private: repositories.private,
      storagePath: repositories.storagePath,
    })
    .from(repositories)
    .where(and(eq(repositories.id, id), eq(repositories.state, 'ready'), stillNamed))
    .for(strength);
  if (!row) throw repositoryNotFound(ref);
  const { level, tipId } = requireRepository(await authorize(), ref);
  return { ...row, level, tipId };
}
