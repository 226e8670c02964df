import { randomUUID } from 'node:crypto';
import { isNewest, make, pathOf, type Act, type Case } from './crash-case.ts';
import { git, hg } from './remotes.ts';
import { mainBranch, uniqueName } from './unique-name.ts';

/** References, or bookmarks, of a push of many. */
const many = Array.from({ length: 200 }, (_, at) => uniqueName(`many/${at}`));

/** Returns whether a push ended so because there was nothing to push. */
const hasNothingNew = (error: unknown) =>
  error instanceof Error && 'stdout' in error && String(error.stdout).includes('no changes found');

/** Pushes what the remote has, with these bookmarks or further branches; returns the client's error, null for success. */
async function pushAll(
  { name, admin, cluster, remotes, type }: Case,
  names: readonly string[],
): Promise<string | null> {
  const url = `http://api-key:${admin.apiKey}@${new URL(cluster.baseUrl).host}/${name}`;
  const { directory } = remotes[type];
  try {
    if (type === 'git') {
      await git(directory, 'push', '-q', url, ...[mainBranch, ...names].map((branch) => `HEAD:refs/heads/${branch}`));
    } else {
      await hg(directory, 'push', ...names.flatMap((bookmark) => ['-B', bookmark]), url);
    }
    return null;
  } catch (error) {
    // A push of Mercurial without anything new ends with 1.
    return hasNothingNew(error) ? null : String(error);
  }
}

export const push: Act = {
  method: 'push',
  args: () => ({}),
  run: (one) => pushAll(one, []),
  prepare: (one) => make(one, one.name),
  isDone: isNewest,
};

/** A push of one commit into a repository that has those before it. */
export const pushUpdate: Act = {
  ...push,
  async prepare(one) {
    await make(one, one.name);
    const error = await pushAll(one, []);
    if (error !== null) throw new Error(error);
    one.newest[one.type] = await one.remotes[one.type].commit({ [one.name]: randomUUID() });
  },
};

/** Returns how many of the references of a push of many a repository has, with the ids that were pushed. */
async function countMany(one: Case): Promise<number> {
  const path = await pathOf(one);
  const newest = one.newest[one.type];
  const lines =
    one.type === 'git'
      ? await git(path, 'for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads/many')
      : await hg(path, 'bookmarks', '-T', '{bookmark} {node}\n');
  const found = new Set(lines.split('\n'));
  return many.filter((name) => found.has(`${name} ${newest}`)).length;
}

/** An update with hundreds of references, of which all or none come to be. */
export const pushMany: Act = {
  ...pushUpdate,
  run: (one) => pushAll(one, many),
  async prepare(one) {
    await pushUpdate.prepare?.(one);
    if (one.type === 'hg') await hg(one.remotes.hg.directory, 'bookmark', '-q', '-f', '-r', 'tip', ...many);
  },
  async isDone(one) {
    const [isTip, count] = [await isNewest(one), await countMany(one)];
    if (count !== (isTip ? many.length : 0)) throw new Error(`${one.name} has ${count} of ${many.length} references`);
    return isTip;
  },
};
