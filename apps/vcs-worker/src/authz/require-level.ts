import { isLevelName, levels, NotFoundError } from '@trunkline/contracts';

/** The level behind a permission on a repository, such as `repository.write`; other permissions do not exist here. */
export function requireRepositoryLevel(perm: string | null): number {
  const [kind, word, ...rest] = (perm ?? '').split('.');
  if (kind !== 'repository' || !isLevelName(word) || rest.length > 0) {
    throw new NotFoundError(`permission \`${perm ?? 'None'}\` does not exist`);
  }
  return levels[word];
}
