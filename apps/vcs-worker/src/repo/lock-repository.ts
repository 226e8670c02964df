import type { EntityRef } from '@trunkline/contracts';
import { repositories } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import { repositoryNotFound } from '../authz/authorize.ts';
import { requireRepository } from '../authz/repository/require-repository.ts';
import type { WriteScope } from '../methods/context.ts';

/**
 * `key share` keeps others from renaming or deleting it, `share` from changing it at all. Who changes it or who may do
 * what on it takes `no key update` or, to rename or delete it, `update` at once: two that held it shared would wait for
 * each other.
 */
type Strength = 'key share' | 'share' | 'no key update' | 'update';

/**
 * The repository that the call names, held until the transaction ends. Rights were read without holding it: what has
 * been renamed or deleted since then is not what was named any more, and who has lost his right hears that now.
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
