import { nameText } from '@trunkline/runtime/text';
import { changesetDate } from '../changeset-date.ts';
import type { Refs } from '../backend.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';
import type { ObjectReader } from './object-reader.ts';

const peeled = (prefix: string) => `%(${prefix}objecttype)%00%(${prefix}objectname)`;
const format = `--format=%(refname)%00${peeled('')}%00${peeled('*')}`;

/** Runs `for-each-ref`; throws VcsError `failed` for a ref that it leaves out, with a warning on stderr alone. */
async function listRefs(git: GitCommands, path: string, args: readonly string[]): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await git.tryRun(path, ['for-each-ref', ...args]);
  if (exitCode === 0 && !stderr.includes('ignoring broken ref')) return stdout;
  throw new VcsError('failed', `git for-each-ref ended with ${exitCode}: ${stderr}`);
}

/** Reads branches and tags. A tag object is replaced by the commit it points to; refs to other objects are left out. */
export async function readGitRefs(git: GitCommands, reader: ObjectReader, path: string): Promise<Refs> {
  const commitOf = async (type: string, id: string, targetType: string, target: string): Promise<string | null> => {
    if (type === 'commit') return id;
    if (targetType === 'commit') return target;
    return targetType === 'tag' ? ((await reader.read(path, `${id}^{commit}`))?.id ?? null) : null;
  };
  const list = async (namespace: string): Promise<Map<string, string>> => {
    const found = new Map<string, string>();
    for (const line of nameText(await listRefs(git, path, [format, namespace])).split('\n')) {
      const [name = '', type = '', id = '', targetType = '', target = ''] = line.split('\0');
      const rawId = name === '' ? null : await commitOf(type, id, targetType, target);
      if (rawId) found.set(name.slice(namespace.length), rawId);
    }
    return found;
  };
  const [branches, tags] = await Promise.all([list('refs/heads/'), list('refs/tags/')]);
  return { bookmarks: new Map(), branches, closedBranches: new Map(), tags };
}

const timeFormat = '--format=%(objectname) %(*objectname) %(committerdate:unix) %(*committerdate:unix)';

/** Returns the times of the commits that branches and tags name; not those behind a tag of a tag. */
export async function readGitRefTimes(git: GitCommands, path: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const listed = await listRefs(git, path, [timeFormat, 'refs/heads/', 'refs/tags/']);
  for (const line of listed.toString('latin1').split('\n')) {
    const [id = '', target = '', seconds = '', targetSeconds = ''] = line.split(' ');
    if (seconds + targetSeconds !== '')
      times.set(target || id, changesetDate(Number(targetSeconds || seconds)).getTime());
  }
  return times;
}

/**
 * Returns whether a reference of a repository, of whatever name, leads to what no reference of the other one leads to.
 * Objects alone do not count: a maintenance would remove them.
 */
export async function gitHasMore(git: GitCommands, path: string, other: string): Promise<boolean> {
  const listed = await listRefs(git, path, ['--format=%(objectname)']);
  const ids = [...new Set(listed.toString('latin1').split('\n').filter(Boolean))];
  if (ids.length === 0) return false;
  const input = `${ids.join('\n')}\n`;
  const there = await git.run(other, ['cat-file', '--batch-check'], { input });
  if (/ missing$/m.test(there.toString('latin1'))) return true;
  const args = ['rev-list', '--max-count=1', '--stdin', '--not', '--all'];
  return (await git.run(other, args, { input, mayBeLong: true })).length > 0;
}
