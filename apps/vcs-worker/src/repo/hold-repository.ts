import type { EntityRef } from '@trunkline/contracts';
import { repositories, type Transaction } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import { repositoryNotFound, type Access } from '../authz/authorize.ts';
import { requireRepository } from '../authz/require-repository.ts';

/**
 * `key share` keeps others from renaming or deleting it, `share` from changing it at all. Who changes it takes
 * `no key update` or, to rename or delete it, `update` at once: two that held it shared would wait for each other.
 */
type Strength = 'key share' | 'share' | 'no key update' | 'update';

/**
 * The repository that the call names, held until the transaction ends. Rights were read without holding it: what has
 * been renamed or deleted since then is not what was named any more.
 */
export async function holdRepository(db: Transaction, access: Access, ref: EntityRef, strength: Strength) {
  const { id, level } = requireRepository(access, ref);
  const stillNamed = ref.name === null ? undefined : eq(repositories.name, ref.name);
  const [row] = await db
    .select({ id: repositories.id, name: repositories.name, type: repositories.type, private: repositories.private })
    .from(repositories)
    .where(and(eq(repositories.id, id), eq(repositories.state, 'ready'), stillNamed))
    .for(strength);
  if (!row) throw repositoryNotFound(ref);
  return { ...row, level };
}
