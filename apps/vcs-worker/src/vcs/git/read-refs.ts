import type { Refs } from '../backend.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';
import type { ObjectReader } from './object-reader.ts';

const peeled = (prefix: string) => `%(${prefix}objecttype)%00%(${prefix}objectname)`;
const format = `--format=%(refname)%00${peeled('')}%00${peeled('*')}`;

/** Reads branches and tags. A tag object is replaced by the commit it points to; refs to other objects are left out. */
export async function readGitRefs(git: GitCommands, reader: ObjectReader, path: string): Promise<Refs> {
  const commitOf = async (type: string, id: string, targetType: string, target: string): Promise<string | null> => {
    if (type === 'commit') return id;
    if (targetType === 'commit') return target;
    return targetType === 'tag' ? ((await reader.read(path, `${id}^{commit}`))?.id ?? null) : null;
  };
  const list = async (namespace: string): Promise<Map<string, string>> => {
    // Names are bytes; those that are not valid UTF-8 become replacement characters.
    const { exitCode, stdout, stderr } = await git.tryRun(path, ['for-each-ref', format, namespace]);
    // `for-each-ref` leaves out a ref that it cannot read, with no more than a warning on stderr.
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
