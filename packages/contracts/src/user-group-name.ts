import { usernameProblem } from './username.ts';

/** Returns why a name cannot be that of a user group; undefined when the name is valid. */
export function userGroupNameProblem(name: string): string | undefined {
  if (name.toLowerCase() === 'default') return 'this name is reserved';
  if (name.length < 2) return 'the name of a user group has at least two characters';
  return usernameProblem(name)?.replace('username', 'user group name');
}
