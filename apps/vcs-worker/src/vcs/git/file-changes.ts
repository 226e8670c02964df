import { nameText } from '@trunkline/runtime/text';
import type { FileChanges } from '../backend.ts';
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

/** Parses the output of `diff-tree --stdin -z --raw --always`: the id of each commit, then its changed files. */
function parseFileChanges(output: Buffer): Map<string, FileChanges> {
  const found = new Map<string, FileChanges>();
  let current = emptyChanges();
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

/** Returns, by commit id, the files that differ from the first parent; for a root commit, all its files. */
export async function readFileChanges(
  git: GitCommands,
  path: string,
  commits: readonly { readonly rawId: string; readonly parents: readonly string[] }[],
): Promise<Map<string, FileChanges>> {
  if (commits.length === 0) return new Map();
  const input = commits.map(({ rawId, parents }) => `${[rawId, ...parents.slice(0, 1)].join(' ')}\n`).join('');
  const args = ['diff-tree', '--stdin', '--root', '--always', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff'];
  return parseFileChanges(await git.run(path, args, { input, stdoutBytesMax: outputBytesMax, mayBeLong: true }));
}
