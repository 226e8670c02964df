import { AuthenticationError, ConflictError, type EntityRef, ForbiddenError, reaches } from '@trunkline/contracts';
import { type Access, type RepositoryAccess, repositoryNotFound } from './authorize.ts';

/** Returns the repository that the call names and the caller may reach; throws NotFoundError when there is none. */
export function requireRepository(access: Access, ref: EntityRef): RepositoryAccess {
  if (!access.repository) throw repositoryNotFound(ref);
  return access.repository;
}

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

const systems = { git: 'a git', hg: 'a Mercurial' } as const;

/** Throws the error for a client of git at the address of a Mercurial repository that its caller may read, or the other way round. */
export function requireSystem({ name, type }: Pick<RepositoryAccess, 'name' | 'type'>, asked: 'git' | 'hg'): void {
  if (type !== asked)
    throw new ConflictError(`\`${name}\` is ${systems[type]} repository, use ${type} instead of ${asked}`);
}
