import type { FileChanges } from '../backend.ts';
import type { GitCommands } from './git-commands.ts';

const outputBytesMax = 64 * 1024 * 1024;
const nothing = '000000';
const submodule = '160000';

function emptyChanges() {
  return { added: [] as string[], changed: [] as string[], removed: [] as string[] };
}

/** What `diff-tree --stdin -z --raw --always` prints: each id, then its entries. Submodules are no files here. */
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
    const [before = '', after = ''] = token.slice(1).split(' ');
    const name = tokens.next().value ?? '';
    const [had, has] = [before, after].map((mode) => mode !== nothing && mode !== submodule);
    if (had && has) current.changed.push(name);
    else if (has) current.added.push(name);
    else if (had) current.removed.push(name);
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
