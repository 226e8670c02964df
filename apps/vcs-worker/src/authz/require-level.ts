import { InvalidArgsError, isLevelName, levels } from '@trunkline/contracts';
import { permissionNotFound } from './require-permission.ts';

/** Returns the level of a permission of this kind, such as `repository.write`; undefined for every other text. */
function levelOf(kind: string, perm: string | null): number | undefined {
  const [prefix, word, ...rest] = (perm ?? '').split('.');
  return prefix === kind && isLevelName(word) && rest.length === 0 ? levels[word] : undefined;
}

/** Returns the level of a permission on a repository; throws NotFoundError for every other text. */
export function requireRepositoryLevel(perm: string | null): number {
  const level = levelOf('repository', perm);
  if (level === undefined) throw permissionNotFound(perm);
  return level;
}

/** Form of the names of global permissions, also of those that Trunkline does not have. */
const globalGrammar = /^hg\.(admin|(create|fork|register|usergroup|repogroup|extern_activate)\.[a-z_.]+)$/;

/** Returns the level of a permission on a repository group, such as `group.write`; undefined for every other text. */
export function repoGroupLevelOf(perm: string | null): number | undefined {
  return levelOf('group', perm);
}

/** Throws InvalidArgsError for a permission that is none on a repository group, and NotFoundError for an unknown one. */
export function requireRepoGroupLevelName(perm: string | null): void {
  if (repoGroupLevelOf(perm) !== undefined) return;
  const ofAnotherKind = ['repository', 'usergroup'].some((kind) => levelOf(kind, perm) !== undefined);
  if (ofAnotherKind || globalGrammar.test(perm ?? '')) {
    throw new InvalidArgsError(`permission \`${perm}\` is invalid, should start with group.`);
  }
  throw permissionNotFound(perm);
}
