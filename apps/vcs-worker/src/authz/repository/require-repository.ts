import type { EntityRef } from '@trunkline/contracts';
import { repositoryNotFound, type Access, type RepositoryAccess } from '../authorize.ts';

/** Returns the repository that the call names and the caller may reach; throws NotFoundError when there is none. */
export function requireRepository(access: Access, ref: EntityRef): RepositoryAccess {
  if (!access.repository) throw repositoryNotFound(ref);
  return access.repository;
}
