import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, hg } from '../../wire/vcs-cluster.ts';
import type { NamesOfClass } from './names-of-class.ts';
import { mainBranch } from '../../harness/unique-name.ts';

export type RepositoryType = 'hg' | 'git';

/** What clients see of a history. */
export interface SeenHistory {
  readonly files: readonly string[];
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  readonly bookmarks: readonly string[];
  /** Author, date and message of each changeset, the newest first. */
  readonly log: readonly string[];
}

/** How a client of one system makes, sends and reads histories. */
export interface VcsClient {
  init(path: string): Promise<void>;
  commit(path: string, names: NamesOfClass, message: string): Promise<void>;
  /** Makes a branch with a commit, a tag and, where the system has them, a bookmark, all with names of the class. */
  nameAll(path: string, names: NamesOfClass): Promise<void>;
  /** Words of a push of all of that; of a clone; of a fetch of everything. */
  pushWords(url: string, names: NamesOfClass): readonly string[];
  cloneWords(url: string, path: string): readonly string[];
  fetchWords(url: string): readonly string[];
  see(path: string, names: NamesOfClass): Promise<SeenHistory>;
  /** Returns the id of the newest changeset. */
  tip(path: string): Promise<string>;
}

const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .toSorted();
const authorOf = (names: NamesOfClass) => `${names.of('author')} <author@example.com>`;

async function writeNext(path: string, names: NamesOfClass, content: string): Promise<void> {
  await mkdir(join(path, names.of('directory')), { recursive: true });
  await writeFile(join(path, names.of('directory'), names.of('file')), `${content}\n`);
}

const gitClient: VcsClient = {
  init: async (path) => void (await git(path, 'init', '-q', '-b', mainBranch, '.')),
  async commit(path, names, message) {
    await writeNext(path, names, message);
    await git(path, 'add', '-A');
    const author = ['-c', `user.name=${names.of('author')}`, '-c', 'user.email=author@example.com'];
    await git(path, ...author, 'commit', '-q', '-m', message);
  },
  async nameAll(path, names) {
    await git(path, 'checkout', '-q', '-b', names.of('branch'));
    await this.commit(path, names, names.of('message'));
    const tagger = ['-c', `user.name=${names.of('author')}`, '-c', 'user.email=author@example.com'];
    await git(path, ...tagger, 'tag', '-a', '-m', names.of('message'), names.of('tag'));
    await git(path, 'checkout', '-q', mainBranch);
  },
  pushWords: (url) => ['push', '-q', url, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'],
  cloneWords: (url, path) => ['clone', '-q', url, path],
  tip: async (path) => (await git(path, 'rev-parse', 'HEAD')).trim(),
  fetchWords: (url) => ['fetch', '-q', url, 'refs/heads/*:refs/remotes/origin/*', 'refs/tags/*:refs/tags/*'],
  async see(path, names) {
    const refs = async (under: string) =>
      lines(await git(path, 'for-each-ref', '--format=%(refname:lstrip=-1)', under));
    const branches = await refs('refs/remotes/origin');
    const from = branches.length > 0 ? 'refs/remotes/origin' : 'refs/heads';
    return {
      files: (await git(path, 'ls-tree', '-r', '-z', '--name-only', names.of('tag'))).split('\0').toSorted(),
      branches: (await refs(from)).filter((one) => one !== 'HEAD'),
      tags: await refs('refs/tags'),
      bookmarks: [],
      log: lines(await git(path, 'log', '--all', '--format=%an <%ae> %at %s')),
    };
  },
};

const hgClient: VcsClient = {
  init: async (path) => void (await hg(path, 'init', '.')),
  async commit(path, names, message) {
    await writeNext(path, names, message);
    await hg(path, 'commit', '-q', '-A', '-m', message, '-u', authorOf(names));
  },
  async nameAll(path, names) {
    await hg(path, 'branch', '-q', names.of('branch'));
    await this.commit(path, names, names.of('message'));
    await hg(path, 'tag', '-u', authorOf(names), names.of('tag'));
    // It is active: it moves with each commit, and a push of it sends all of them.
    await hg(path, 'bookmark', names.of('bookmark'));
  },
  pushWords: (url, names) => ['push', '-q', '--new-branch', '-B', names.of('bookmark'), url],
  cloneWords: (url, path) => ['clone', '-q', url, path],
  tip: (path) => hg(path, 'log', '-r', 'tip', '-T', '{node}'),
  fetchWords: (url) => ['pull', '-q', url],
  async see(path, names) {
    const [files, branches, tags, bookmarks, log] = await Promise.all([
      hg(path, 'files', '-r', names.of('tag'), '-T', '{path}\\0'),
      hg(path, 'branches', '-T', '{branch}\\n'),
      hg(path, 'tags', '-T', '{tag}\\n'),
      hg(path, 'bookmarks', '-T', '{bookmark}\\n'),
      hg(path, 'log', '-T', '{author} {date|hgdate} {branch} {desc}\\n'),
    ]);
    return {
      files: files.split('\0').toSorted(),
      branches: lines(branches),
      tags: lines(tags),
      bookmarks: lines(bookmarks),
      log: lines(log),
    };
  },
};

export const vcsClients: Readonly<Record<RepositoryType, VcsClient>> = { hg: hgClient, git: gitClient };
