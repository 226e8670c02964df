import type { FileStat } from '../content.ts';
import { againstFirstParent } from './against-first-parent.ts';
import { fileChange } from './file-change.ts';
import type { GitContentTools } from './git-content-tools.ts';
import { nulTokens } from './nul-tokens.ts';

type Change = FileStat['change'];
type Lines = Pick<FileStat, 'linesAdded' | 'linesRemoved'>;

interface Changed {
  /** The first ones, in git's order. */
  readonly files: Map<string, Change>;
  total: number;
}

const compare = ['diff-tree', '--stdin', '--root', '--always', '-r', '-z', '--no-renames', '--no-ext-diff'];
/** They become words of a command. */
const pathCharsMax = 30_000;
const pathsCharsMax = 300_000;

/** Which files commits changed: cheap, however many they are. Of each commit the first ones are kept. */
async function readChanged({ stream }: GitContentTools, path: string, input: string, filesMax: number) {
  const found = new Map<string, Changed>();
  let current: Changed = { files: new Map(), total: 0 };
  let chars = 0;
  let line = '';
  for await (const tokens of nulTokens(stream(path, [...compare, '--raw'], { input }))) {
    for (const token of tokens) {
      const change = line === '' ? null : fileChange(line);
      if (line !== '') {
        line = '';
        if (!change) continue;
        current.total += 1;
        chars += token.length;
        if (current.files.size < filesMax && chars <= pathsCharsMax) current.files.set(token, change);
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

/** How many lines of each file; git compares the files that were asked for only, or else all. */
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

/** The files that commits changed, at most so many of each, and how much: two processes, and one for each larger commit. */
export async function readFileStats(
  tools: GitContentTools,
  path: string,
  rawIds: readonly string[],
  filesMax: number,
): Promise<Map<string, FileStat[]>> {
  const inputs = new Map<string, string>();
  for (const rawId of rawIds) inputs.set(rawId, await againstFirstParent(tools.reader, path, rawId));
  const changed = await readChanged(tools, path, [...inputs.values()].join(''), filesMax);
  const isLarge = ([, { files, total }]: [string, Changed]) => files.size < total;
  const small = [...changed].filter((entry) => !isLarge(entry)).map(([rawId]) => inputs.get(rawId) ?? '');
  const lines = small.length > 0 ? await readLines(tools, path, small.join(''), null) : new Map<string, never>();
  for (const [rawId, { files }] of [...changed].filter(isLarge)) {
    // A name that is no UTF-8 cannot be asked for.
    const names = [...files.keys()].filter((name) => name.length <= pathCharsMax && !name.includes('\ufffd'));
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
