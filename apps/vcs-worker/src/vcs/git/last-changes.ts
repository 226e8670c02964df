import { nameBytes, nameText } from '@trunkline/runtime/text';
import { toListedChangeset, type LastChanges, type ListedChangeset } from '../last-changes.ts';
import { normalizeRoot } from '../root-path.ts';
import { nulTokens } from '../split-at-nul.ts';
import { VcsError } from '../vcs-error.ts';
import { graphSettings } from './commit-walk.ts';
import type { CommitGraphs } from './commit-graph.ts';
import type { GitContentTools } from './git-content-tools.ts';
import type { ObjectReader } from './object-reader.ts';
import { parseCommit } from './parse-commit.ts';
import { isArgument, objectAt } from './tree-entries.ts';
import { pathKind } from './tree.ts';

const listingBytesMax = 64 * 1024 * 1024;
const readAtOnce = 256;
const directory = 'directory';

/** Returns what a difference has to make of each entry of a tree to be its last change: mode and id, of a file. */
async function readWanted({ git }: GitContentTools, path: string, treeId: string): Promise<Map<string, string>> {
  const args = ['ls-tree', '-z', '--full-tree', '--end-of-options', treeId];
  const wanted = new Map<string, string>();
  for (const line of nameText(await git.run(path, args, { stdoutBytesMax: listingBytesMax })).split('\0')) {
    const [, mode = '', id = '', name = ''] = /^(\d{6}) [a-z]+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (mode !== '') wanted.set(name, pathKind(mode) === 'dir' ? directory : `${mode} ${id}`);
  }
  return wanted;
}

interface Change {
  readonly rawId: string;
  /** Mode and id after the change. */
  readonly made: string;
  readonly path: string;
}

/** Returns mode and id after the change of a raw line, which begins with a colon for each parent. */
function madeBy(line: string): string {
  const parents = /^:+/.exec(line)?.[0].length ?? 0;
  const fields = line.split(' ');
  return `${fields[parents]} ${fields[2 * parents + 1]}`;
}

/** Parses the output of `git log -c --raw -z` with the format `%x01%H`. */
async function* changesIn(output: AsyncIterable<Uint8Array>): AsyncGenerator<Change> {
  let rawId = '';
  let made: string | null = null;
  for await (const tokens of nulTokens(output)) {
    for (const token of tokens) {
      if (made !== null) {
        yield { rawId, made, path: token };
        made = null;
      } else if (token.startsWith('\u0001')) rawId = token.slice(1);
      else if (/^\n?:/.test(token)) made = madeBy(token.trimStart());
    }
  }
}

/** A merge counts for what differs from all of its parents. */
const walk = ['log', '--format=%x01%H', '-c', '-r', '--raw', '-z', '--no-abbrev', '--no-renames', '--no-ext-diff'];
const argumentCharsMax = 30_000;

async function* linesOf(...lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield nameBytes(`${lines.join('\n')}\n`);
}

async function streamChanges(
  { stream }: GitContentTools,
  graphs: CommitGraphs,
  path: string,
  rawId: string,
  name: string,
): Promise<AsyncIterable<Uint8Array>> {
  const args = ['--literal-pathspecs', ...(await graphSettings(graphs, path)), ...walk];
  if (name === '') return stream(path, [...args, '--end-of-options', rawId]);
  // Lines of the input may be any bytes but their ends.
  if (!/[\r\n]/.test(name)) return stream(path, [...args, '--stdin'], { input: linesOf(rawId, '--', name) });
  if (!isArgument(name) || name.length > argumentCharsMax)
    throw new VcsError('too-large', 'a name that git cannot take');
  return stream(path, [...args, '--end-of-options', rawId, '--', name]);
}

/** Reads commits by their ids, in small parts: a listing may name thousands. */
async function readListed(
  reader: ObjectReader,
  path: string,
  rawIds: readonly string[],
): Promise<Map<string, ListedChangeset>> {
  const listed = new Map<string, ListedChangeset>();
  for (let start = 0; start < rawIds.length; start += readAtOnce) {
    const part = rawIds.slice(start, start + readAtOnce);
    for (const object of await Promise.all(part.map((rawId) => reader.read(path, rawId)))) {
      if (object) listed.set(object.id, toListedChangeset(parseCommit(object, -1)));
    }
  }
  return listed;
}

/**
 * Returns the last changes of a directory of a commit by one walk of its history, newest first, which ends as soon as
 * all entries are found. A file is found where a commit made it what it is, so that a branch whose version a merge left
 * out does not count.
 */
export async function readGitLastChanges(
  tools: GitContentTools,
  graphs: CommitGraphs,
  path: string,
  rawId: string,
  asked: string,
): Promise<LastChanges> {
  const name = normalizeRoot(asked);
  const tree = await objectAt(tools.reader, path, rawId, name);
  if (tree?.type !== 'tree') throw new VcsError('unknown-path', 'no directory');
  const wanted = await readWanted(tools, path, tree.id);
  const within = name === '' ? '' : `${name}/`;
  const found = new Map<string, string>();
  let newest: string | null = null;
  if (wanted.size > 0) {
    for await (const change of changesIn(await streamChanges(tools, graphs, path, rawId, name))) {
      if (!change.path.startsWith(within)) continue;
      newest ??= change.rawId;
      const end = change.path.indexOf('/', within.length);
      const entry = change.path.slice(within.length, end < 0 ? undefined : end);
      if (wanted.get(entry) !== (end < 0 ? change.made : directory)) continue;
      wanted.delete(entry);
      found.set(entry, change.rawId);
      if (wanted.size === 0) break;
    }
  }
  const rawIds = new Set([...(newest === null ? [] : [newest]), ...found.values()]);
  const listed = await readListed(tools.reader, path, [...rawIds]);
  const entries = new Map<string, ListedChangeset>();
  for (const [entry, id] of found) {
    const changeset = listed.get(id);
    if (changeset) entries.set(entry, changeset);
  }
  return { newest: newest === null ? null : (listed.get(newest) ?? null), entries };
}
