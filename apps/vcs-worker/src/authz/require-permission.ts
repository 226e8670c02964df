import { InvalidArgsError, isLevelName, levels, NotFoundError } from '@trunkline/contracts';

/** Returns the error for a permission that does not exist, or that the argument does not accept. */
export function permissionNotFound(perm: string | null): NotFoundError {
  return new NotFoundError(`permission \`${perm ?? 'None'}\` does not exist`);
}

/** Returns the permission that an argument names; throws NotFoundError when it is not in the list. */
export function requirePermission<P extends string>(perm: string | null, known: readonly P[]): P {
  const found = known.find((one) => one === perm);
  if (found === undefined) throw permissionNotFound(perm);
  return found;
}

/** Returns the level of a permission of this kind, such as `repository.write`; undefined for every other text. */
function levelOf(kind: string, perm: string | null): number | undefined {
  const [prefix, word, ...rest] = (perm ?? '').split('.');
  return prefix === kind && isLevelName(word) && rest.length === 0 ? levels[word] : undefined;
}

/** Returns the level of a permission on a repository; undefined for every other text. */
export function repositoryLevelOf(perm: string | null): number | undefined {
  return levelOf('repository', perm);
}

/** Form of the names of global permissions, also of those that Trunkline does not have. */
const globalGrammar = /^hg\.(admin|(create|fork|register|usergroup|repogroup|extern_activate)\.[a-z_.]+)$/;

/** Returns the level of a permission on a repository group, such as `group.write`; undefined for every other text. */
export function repoGroupLevelOf(perm: string | null): number | undefined {
  return levelOf('group', perm);
}

/** Returns the client's error for a text that names no level on a repository group. */
export function repoGroupLevelRefusal(perm: string | null): InvalidArgsError | NotFoundError {
  const ofAnotherKind = ['repository', 'usergroup'].some((kind) => levelOf(kind, perm) !== undefined);
  if (!ofAnotherKind && !globalGrammar.test(perm ?? '')) return permissionNotFound(perm);
  return new InvalidArgsError(`permission \`${perm}\` is invalid, should start with group.`);
}
