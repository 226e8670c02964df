import type { Changeset } from '../../backend.ts';
import type { NameChange } from '../../push.ts';
import type { GitCommands } from '../git-commands.ts';
import { parseCommit } from '../parse-commit.ts';
import { requireBelowMax } from './few-references.ts';
import { nameConflict } from './name-conflict.ts';

/** The history of a repository once a received push is visible. */
export interface ForeseenHistory {
  readonly tip: Changeset | null;
  /** Number of commits that the push brings. */
  readonly added: number;
}

const shownNames = /^refs\/(?:heads|tags)\//;

/** Names are compared byte by byte, as git does, whatever their encoding. */
const bytesOf = (name: string) => Buffer.from(name).toString('latin1');
const inBytes = (change: NameChange): NameChange => ({ ...change, name: bytesOf(change.name) });

/**
 * Returns what branches and tags will name, in the order in which `--branches --tags` has them; null when the push changes
 * other references, too, or one that is not as its client saw it, or one that git would not create. Throws
 * PushRefusedError when there would be too many.
 */
async function futureIds(git: GitCommands, path: string, changes: readonly NameChange[]): Promise<string[] | null> {
  const listed = await git.run(path, ['for-each-ref', '--format=%(objectname) %(refname)']);
  const lines = listed.toString('latin1').split('\n').filter(Boolean);
  // Pushes that came at the same time have each seen fewer when they began.
  requireBelowMax(lines.length, changes);
  const all = lines.map((line) => [line.slice(41), line.slice(0, 40)] as const);
  const ids = new Map(all.filter(([name]) => shownNames.test(name)));
  const before = all.map(([name]) => name);
  for (const { name, from, to } of changes) {
    const key = bytesOf(name);
    if (!shownNames.test(name) || (ids.get(key) ?? null) !== from) return null;
    if (to === null) ids.delete(key);
    else ids.set(key, to);
  }
  if (nameConflict(before, changes.map(inBytes)) !== null) return null;
  return [...ids].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, id]) => id);
}

/**
 * Reads the history that a repository will have once a received push is visible, while others go on writing: it is right
 * as long as nobody has changed the repository since. `git` sees the objects of the push beside those of the repository.
 * Returns null for a push of which that is not known. The settings are those of walks: of the whole history, for its length.
 */
export async function foreseePush(
  git: GitCommands,
  path: string,
  changes: readonly NameChange[],
  settings: readonly string[] = [],
): Promise<ForeseenHistory | null> {
  const walk = async (ids: readonly string[], ...args: readonly string[]) => {
    const options = { input: `${ids.join('\n')}\n`, mayBeLong: true, settings };
    return (await git.run(path, ['rev-list', '--stdin', ...args], options)).toString().trim();
  };
  const ids = await futureIds(git, path, changes);
  if (ids === null) return null;
  if (ids.length === 0) return { tip: null, added: 0 };
  const pushed = changes.flatMap(({ to }) => (to === null ? [] : [to]));
  const [id, count, added] = await Promise.all([
    walk(ids, '--date-order', '--max-count=1'),
    walk(ids, '--count'),
    pushed.length === 0 ? '0' : walk(pushed, '--not', '--all', '--count'),
  ]);
  // Tags may name other objects than commits.
  if (id === '') return { tip: null, added: 0 };
  const content = await git.run(path, ['cat-file', 'commit', id]);
  const commit = { id, type: 'commit', size: content.length, content };
  return { tip: parseCommit(commit, Number(count) - 1), added: Number(added) };
}
