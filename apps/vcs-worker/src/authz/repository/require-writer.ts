import { AuthenticationError, ForbiddenError, reaches, type EntityRef } from '@trunkline/contracts';
import type { Access, RepositoryAccess } from '../authorize.ts';
import { requireRepository } from './require-repository.ts';

/** Returns the repository into which the caller may push; who may only read it gets an error that says so. */
export function requireWriter(access: Access, ref: EntityRef): RepositoryAccess {
  const repository = requireRepository(access, ref);
  // The user `default` is nobody in particular.
  if (access.user.username === 'default') throw new AuthenticationError('Sign in first');
  if (!access.user.admin && !reaches(repository.level, 'write')) {
    throw new ForbiddenError(`You may read \`${repository.name}\`, but not push into it`);
  }
  return repository;
}
