import type { FileStat } from '../content.ts';
import { nulTokens } from '../split-at-nul.ts';
import { againstParent } from './diff.ts';
import { fileChange } from './file-changes.ts';
import type { GitContentTools } from './git-content-tools.ts';

type Change = FileStat['change'];
type Lines = Pick<FileStat, 'linesAdded' | 'linesRemoved'>;

interface Changed {
  /** The first changed files, in git's order. */
  readonly files: Map<string, Change>;
  total: number;
}

const compare = ['diff-tree', '--stdin', '--root', '--always', '-r', '-z', '--no-renames', '--no-ext-diff'];
/** Limits of one path, and of all paths of a commit, in characters: paths become arguments of a command. */
const onePathCharsMax = 30_000;
const allPathsCharsMax = 300_000;

/** Reads which files each commit changed, and keeps the first `filesMax` of them; cheap for any number of files. */
async function readChanged({ stream }: GitContentTools, path: string, input: string, filesMax: number) {
  const found = new Map<string, Changed>();
  let current: Changed = { files: new Map(), total: 0 };
  let chars = 0;
  let line = '';
  for await (const tokens of nulTokens(stream(path, [...compare, '--raw'], { input }))) {
    for (const token of tokens) {
      if (line !== '') {
        current.total += 1;
        chars += token.length;
        if (current.files.size < filesMax && chars <= allPathsCharsMax) current.files.set(token, fileChange(line));
        line = '';
      } else if (token.startsWith(':')) {
        line = token;
      } else {
        current = { files: new Map(), total: 0 };
        chars = 0;
        found.set(token, current);
      }
    }
  }
  return found;
}

/** Counts the lines added and removed in each file; git compares only the given files, or all files for null. */
async function readLines({ stream }: GitContentTools, path: string, input: string, files: readonly string[] | null) {
  const found = new Map<string, Map<string, Lines>>();
  const args = ['--literal-pathspecs', ...compare, '--numstat', '--no-textconv', '--', ...(files ?? [])];
  let current = new Map<string, Lines>();
  for await (const tokens of nulTokens(stream(path, args, { input }))) {
    for (const token of tokens) {
      const [, added, removed, name = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(token) ?? [];
      if (added === undefined) {
        current = new Map();
        found.set(token, current);
      } else if (added !== '-') {
        current.set(name, { linesAdded: Number(added), linesRemoved: Number(removed) });
      }
    }
  }
  return found;
}

/**
 * Returns, by commit id, at most `filesMax` changed files and their counts of lines. Runs two processes, and one more
 * for each commit that changed more files than are returned.
 */
export async function readFileStats(
  tools: GitContentTools,
  path: string,
  rawIds: readonly string[],
  filesMax: number,
): Promise<Map<string, FileStat[]>> {
  const inputOf = async (rawId: string) => [rawId, (await againstParent(tools.reader, path, rawId)).input] as const;
  const inputs = new Map(await Promise.all(rawIds.map(inputOf)));
  const changed = await readChanged(tools, path, [...inputs.values()].join(''), filesMax);
  const isLarge = ([, { files, total }]: [string, Changed]) => files.size < total;
  const small = [...changed].filter((entry) => !isLarge(entry)).map(([rawId]) => inputs.get(rawId) ?? '');
  const lines = small.length > 0 ? await readLines(tools, path, small.join(''), null) : new Map<string, never>();
  for (const [rawId, { files }] of [...changed].filter(isLarge)) {
    // A name that is not valid UTF-8 cannot be passed as an argument.
    const names = [...files.keys()].filter((name) => name.length <= onePathCharsMax && !name.includes('\ufffd'));
    const read = names.length > 0 ? await readLines(tools, path, inputs.get(rawId) ?? '', names) : undefined;
    lines.set(rawId, read?.get(rawId) ?? new Map());
  }
  const unknown: Lines = { linesAdded: null, linesRemoved: null };
  const statsOf = (rawId: string) =>
    [...(changed.get(rawId)?.files ?? [])].map(([name, change]) => ({
      path: name,
      change,
      ...(lines.get(rawId)?.get(name) ?? unknown),
    }));
  return new Map([...inputs.keys()].map((rawId) => [rawId, statsOf(rawId)]));
}
