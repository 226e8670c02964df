import { nameText } from '@trunkline/runtime/text';
import type { FileChanges } from '../backend.ts';
import { emptyTree } from '../process/child-environment.ts';
import type { GitCommands } from './git-commands.ts';

const nothing = '000000';

/** Returns how a line of `diff-tree --raw` changes a file, a symbolic link or a submodule, or puts one for another. */
export function fileChange(line: string): 'added' | 'changed' | 'removed' {
  const [before = '', after = ''] = line.slice(1).split(' ', 2);
  if (before === nothing) return 'added';
  return after === nothing ? 'removed' : 'changed';
}

const outputBytesMax = 64 * 1024 * 1024;

function emptyChanges() {
  return { added: [] as string[], changed: [] as string[], removed: [] as string[] };
}

/** Parses the output of `diff-tree -z --raw`: the files of two trees, or the id of each commit and its files. */
function parseFileChanges(output: Buffer): Map<string, FileChanges> {
  let current = emptyChanges();
  const found = new Map<string, FileChanges>([['', current]]);
  const tokens = nameText(output).split('\0').values();
  for (const token of tokens) {
    if (token === '') continue;
    if (!token.startsWith(':')) {
      current = emptyChanges();
      found.set(token, current);
      continue;
    }
    const name = tokens.next().value ?? '';
    current[fileChange(token)].push(name);
  }
  return found;
}

const compare = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff'];
const bounds = { stdoutBytesMax: outputBytesMax, mayBeLong: true };

/** Returns the files in which two commits differ; without the first, all files of the second. */
export async function readChangesSince(
  git: GitCommands,
  path: string,
  base: string | null,
  rawId: string,
): Promise<FileChanges> {
  const output = await git.run(path, [...compare, base ?? emptyTree, rawId], bounds);
  return parseFileChanges(output).get('') ?? emptyChanges();
}

/** Returns, by commit id, the files that differ from the first parent; for a root commit, all its files. */
export async function readFileChanges(
  git: GitCommands,
  path: string,
  commits: readonly { readonly rawId: string; readonly parents: readonly string[] }[],
): Promise<Map<string, FileChanges>> {
  if (commits.length === 0) return new Map();
  const input = commits.map(({ rawId, parents }) => `${[rawId, ...parents.slice(0, 1)].join(' ')}\n`).join('');
  return parseFileChanges(await git.run(path, [...compare, '--stdin', '--root', '--always'], { input, ...bounds }));
}
