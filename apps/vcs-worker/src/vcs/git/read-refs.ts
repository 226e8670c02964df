import type { Refs } from '../backend.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';
import type { ObjectReader } from './object-reader.ts';

const peeled = (prefix: string) => `%(${prefix}objecttype)%00%(${prefix}objectname)`;
const format = `--format=%(refname)%00${peeled('')}%00${peeled('*')}`;

/** Branches and tags; a tag object stands for the commit that it leads to, what leads to none is left out. */
export async function readGitRefs(git: GitCommands, reader: ObjectReader, path: string): Promise<Refs> {
  const commitOf = async (type: string, id: string, targetType: string, target: string): Promise<string | null> => {
    if (type === 'commit') return id;
    if (targetType === 'commit') return target;
    return targetType === 'tag' ? ((await reader.read(path, `${id}^{commit}`))?.id ?? null) : null;
  };
  const list = async (namespace: string): Promise<Map<string, string>> => {
    // Names are bytes; what is no UTF-8 is shown with replacement characters.
    const { exitCode, stdout, stderr } = await git.tryRead(path, ['for-each-ref', format, namespace]);
    // What it cannot read it leaves out, and says so.
    if (exitCode !== 0 || stderr.includes('ignoring broken ref')) {
      throw new VcsError('failed', `git for-each-ref ended with ${exitCode}: ${stderr}`);
    }
    const found = new Map<string, string>();
    for (const line of stdout.toString('utf8').split('\n')) {
      const [name = '', type = '', id = '', targetType = '', target = ''] = line.split('\0');
      const rawId = name === '' ? null : await commitOf(type, id, targetType, target);
      if (rawId) found.set(name.slice(namespace.length), rawId);
    }
    return found;
  };
  const [branches, tags] = await Promise.all([list('refs/heads/'), list('refs/tags/')]);
  return { bookmarks: new Map(), branches, closedBranches: new Map(), tags };
}
