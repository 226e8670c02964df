import type { NameChange } from '../../push.ts';

export interface NameConflict {
  readonly created: string;
  /** The reference that is there, or is to be created too. */
  readonly other: string;
  readonly isThere: boolean;
}

/** Returns the names of the directories above a reference, such as `refs/heads`, the longest first. */
function directoriesOf(name: string): string[] {
  const found: string[] = [];
  for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) found.push(name.slice(0, end));
  return found;
}

/**
 * Returns a reference that git would not create, because another one stands where it needs a directory, or the other way
 * round; null for none. What the same changes delete is still there then.
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
