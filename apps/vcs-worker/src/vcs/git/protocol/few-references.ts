import { PushRefusedError, type NameChange } from '../../push.ts';
import type { GitCommands } from '../git-commands.ts';

const referencesMax = 50_000;

const countCreated = (changes: readonly NameChange[]): number =>
  changes.filter(({ from, to }) => from === null && to !== null).length;

/** Throws PushRefusedError when a repository with so many references would have too many. */
export function requireBelowMax(references: number, changes: readonly NameChange[]): void {
  const created = countCreated(changes);
  if (created === 0 || references + created <= referencesMax) return;
  throw new PushRefusedError(`a repository may have ${referencesMax} references at most`);
}

/** Throws PushRefusedError when a repository would have too many references; counts none for a push that creates none. */
export async function requireFewReferences(
  git: GitCommands,
  path: string,
  changes: readonly NameChange[],
): Promise<void> {
  if (countCreated(changes) === 0) return;
  const listed = await git.run(path, ['for-each-ref', '--format=x', `--count=${referencesMax}`]);
  requireBelowMax(listed.length / 2, changes);
}
