import type { FileChanges } from '../backend.ts';
import { fileChange } from './file-change.ts';
import type { GitCommands } from './git-commands.ts';

const outputBytesMax = 64 * 1024 * 1024;

function emptyChanges() {
  return { added: [] as string[], changed: [] as string[], removed: [] as string[] };
}

/** What `diff-tree --stdin -z --raw --always` prints: each id, then its entries. */
export function parseFileChanges(output: Buffer): Map<string, FileChanges> {
  const found = new Map<string, FileChanges>();
  let current = emptyChanges();
  // Names are bytes; what is no UTF-8 is shown with replacement characters.
  const tokens = output.toString('utf8').split('\0').values();
  for (const token of tokens) {
    if (token === '') continue;
    if (!token.startsWith(':')) {
      current = emptyChanges();
      found.set(token, current);
      continue;
    }
    const name = tokens.next().value ?? '';
    const change = fileChange(token);
    if (change) current[change].push(name);
  }
  return found;
}

/** The files that commits touched, each against its first parent or, without one, against nothing. */
export async function readFileChanges(
  git: GitCommands,
  path: string,
  commits: readonly { readonly rawId: string; readonly parents: readonly string[] }[],
): Promise<Map<string, FileChanges>> {
  if (commits.length === 0) return new Map();
  const input = commits.map(({ rawId, parents }) => `${[rawId, ...parents.slice(0, 1)].join(' ')}\n`).join('');
  const args = ['diff-tree', '--stdin', '--root', '--always', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff'];
  return parseFileChanges(await git.read(path, args, { input, stdoutBytesMax: outputBytesMax }));
}
