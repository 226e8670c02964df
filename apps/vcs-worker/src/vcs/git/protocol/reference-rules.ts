import { PushRefusedError, type NameChange } from '../../push.ts';
import type { GitCommands } from '../git-commands.ts';

/** Bytes of a whole name, and of one part of it as a name of a file with `.lock` behind it. */
const nameBytesMax = 1_000;
const partBytesMax = 250;

/** Namespaces that git or this service gives a meaning: a client could change what others see of the history. */
const reserved = ['replace', 'trunkline', 'bisect', 'rewritten', 'worktree'];

/** What git refuses in a part of a name. */
const badPart = /^\.|\.lock$|\.\.|@\{|^$/;
// oxlint-disable-next-line no-control-regex -- git refuses control characters
const badCharacters = /[\x00-\x20\x7f~^:?*[\\\ufffd]/;

/** Returns the client's text for a reference that no push may change; null for one that pushes may. */
export function referenceNameProblem(name: string): string | null {
  const [refs, namespace = '', ...parts] = name.split('/');
  if (refs !== 'refs' || parts.length === 0)
    return 'only names below refs/heads/, refs/tags/ and the like are accepted';
  if (reserved.includes(namespace)) return `names below refs/${namespace}/ are reserved`;
  const all = [namespace, ...parts];
  if (badCharacters.test(name) || name.endsWith('.') || all.some((part) => badPart.test(part))) {
    return 'git does not allow this name';
  }
  const isLong = Buffer.byteLength(name) > nameBytesMax || all.some((part) => Buffer.byteLength(part) > partBytesMax);
  return isLong ? 'the name is too long' : null;
}

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

export interface NameConflict {
  readonly created: string;
  /** The reference that is there, or is to be created too. */
  readonly other: string;
  readonly isThere: boolean;
}

/** Returns the names of the directories above a reference, such as `refs/heads`, the longest first. */
export function directoriesOf(name: string): string[] {
  const found: string[] = [];
  for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) found.push(name.slice(0, end));
  return found;
}

/**
 * Returns a reference that git would not create, because another one stands where it needs a directory, or the other way
 * round; null for none. References that the same changes delete still exist at that time.
 */
export function nameConflict(existing: Iterable<string>, changes: readonly NameChange[]): NameConflict | null {
  const created = new Set(changes.flatMap(({ name, from, to }) => (from === null && to !== null ? [name] : [])));
  if (created.size === 0) return null;
  const there = new Set<string>();
  for (const other of existing) {
    there.add(other);
    const above = directoriesOf(other).find((directory) => created.has(directory));
    if (above !== undefined) return { created: above, other, isThere: true };
  }
  for (const name of created) {
    const other = directoriesOf(name).find((directory) => there.has(directory) || created.has(directory));
    if (other !== undefined) return { created: name, other, isThere: there.has(other) };
  }
  return null;
}
