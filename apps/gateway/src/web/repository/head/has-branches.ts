import type { RepositoryHead } from './repository-head.ts';

/** Returns whether a repository has branches of git, of which one is the default branch. */
export function hasBranches({ repo_type: type, last_changeset: last }: RepositoryHead): boolean {
  return type === 'git' && last !== null;
}
