import type { Changeset } from '../../backend.ts';
import type { NameChange } from '../../push.ts';
import type { GitObject } from '../cat-file.ts';
import { findRef } from '../find-ref.ts';
import type { GitCommands } from '../git-commands.ts';
import { isClearlyDated, parseCommit } from '../parse-commit.ts';
import { nameConflict, requireBelowMax } from './reference-rules.ts';

/** The history of a repository once a received push is visible. */
export interface PredictedHistory {
  readonly tip: Changeset | null;
  /** Number of commits that the push brings. */
  readonly added: number;
}

/** What is recorded of the history before the push. */
export interface KnownHistory {
  readonly commits: number;
  /** When the newest commit was made, in milliseconds. */
  readonly newestMs: number;
}

/** Options of a push that is predicted. */
export interface PredictOptions {
  /** Null when nothing is known: the commits are then counted. */
  readonly before: KnownHistory | null;
  /** Settings of walks. */
  readonly settings: readonly string[];
}

const branchPrefix = 'refs/heads/';
const shownNames = /^refs\/(?:heads|tags)\//;

/** Names are compared byte by byte, as git does, whatever their encoding. */
const bytesOf = (name: string) => Buffer.from(name).toString('latin1');
const inBytes = (change: NameChange): NameChange => ({ ...change, name: bytesOf(change.name) });

/** Runs `rev-list` with ids, then with options, and returns its output. */
type Walk = (options: readonly string[], ids: readonly string[]) => Promise<string>;

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

async function readCommit(git: GitCommands, path: string, id: string): Promise<GitObject> {
  const content = await git.run(path, ['cat-file', 'commit', id]);
  return { id, type: 'commit', size: content.length, content };
}

/**
 * Predicts a branch that goes on with commits of which the newest is newer than all: the tip, whatever else there is. Null
 * for every other push.
 */
async function predictNewer(
  git: GitCommands,
  walk: Walk,
  path: string,
  changes: readonly NameChange[],
  before: KnownHistory,
): Promise<PredictedHistory | null> {
  const [only] = changes;
  if (!only || changes.length > 1 || !only.name.startsWith(branchPrefix)) return null;
  const { name, from, to } = only;
  if (from === null || to === null) return null;
  const found = await findRef(path, name);
  if (found === 'unclear' || found.id !== from) return null;
  // Names of references have none of the characters that stand for others.
  const others = [`--exclude=${name.slice(branchPrefix.length)}`, '--branches', '--tags'];
  const [counts, commit] = await Promise.all([
    walk(['--count', '--left-right', `${from}...${to}`, '--not', ...others], []),
    readCommit(git, path, to),
  ]);
  const [removed, added = 0] = counts.split('\t').map(Number);
  const tip = parseCommit(commit, before.commits + added - 1);
  const isNewest = isClearlyDated(commit) && tip.date.getTime() > before.newestMs;
  return removed === 0 && added > 0 && isNewest ? { tip, added } : null;
}

/** Returns the number of commits that a history will have: of all, or by what the changes add and remove. */
async function countCommits(
  walk: Walk,
  ids: readonly string[],
  { changes, before, added }: { changes: readonly NameChange[]; before: KnownHistory | null; added: number },
): Promise<number> {
  if (before === null) return Number(await walk(['--count'], ids));
  const left = changes.flatMap(({ from }) => from ?? []);
  const removed = left.length === 0 ? 0 : Number(await walk(['--count'], [...left, ...ids.map((id) => `^${id}`)]));
  return before.commits + added - removed;
}

/**
 * Reads the history that a repository will have once a received push is visible, while others go on writing: it is right
 * as long as no other operation has changed the repository since. `git` sees the objects of the push beside those of the
 * repository. Returns null for a push of which that is not known.
 */
export async function predictPush(
  git: GitCommands,
  path: string,
  changes: readonly NameChange[],
  { before, settings }: PredictOptions,
): Promise<PredictedHistory | null> {
  const walk: Walk = async (options, ids) => {
    const input = ids.length === 0 ? {} : { input: `${ids.join('\n')}\n` };
    const args = ['rev-list', ...(ids.length === 0 ? [] : ['--stdin']), ...options];
    return (await git.run(path, args, { ...input, mayBeLong: true, settings })).toString().trim();
  };
  const newer = before && (await predictNewer(git, walk, path, changes, before));
  if (newer) return newer;
  const ids = await futureIds(git, path, changes);
  if (ids === null) return null;
  if (ids.length === 0) return { tip: null, added: 0 };
  const pushed = changes.flatMap(({ to }) => to ?? []);
  const [id, brought] = await Promise.all([
    walk(['--date-order', '--max-count=1'], ids),
    // Commits that only references outside the history reach count as new ones.
    pushed.length === 0 ? '0' : walk(['--count', '--not', '--branches', '--tags'], pushed),
  ]);
  const added = Number(brought);
  // Tags may name other objects than commits.
  if (id === '') return { tip: null, added: 0 };
  const commits = await countCommits(walk, ids, { changes, before, added });
  return { tip: parseCommit(await readCommit(git, path, id), commits - 1), added };
}
