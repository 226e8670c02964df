import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, hg } from './remotes.ts';
import { author, mainBranch, mainReference, someFile } from './unique-name.ts';

/** What clients of one version control system do. */
export interface ClientTool {
  /** Makes a commit in a work tree; returns its id. */
  commit(path: string, at: number): Promise<string>;
  push(path: string, url: string, id: string): Promise<unknown>;
  clone(url: string, path: string): Promise<unknown>;
  /** Fetches what is new into a clone. */
  fetch(path: string, url: string): Promise<unknown>;
  /** Rejects when the clone lacks the commit. */
  find(path: string, id: string): Promise<unknown>;
  /** Returns the ids of all commits of the branches. */
  list(path: string): Promise<ReadonlySet<string>>;
  /** Rejects when a clone is damaged. */
  verify(path: string): Promise<unknown>;
}

const linesOf = (text: string) => new Set(text.split('\n').filter(Boolean));

export const clientTools: Readonly<Record<'git' | 'hg', ClientTool>> = {
  git: {
    async commit(path, at) {
      await writeFile(join(path, someFile), String(at));
      await git(path, 'add', someFile);
      await git(path, 'commit', '-q', '-m', `push ${at}`);
      return (await git(path, 'rev-parse', 'HEAD')).trim();
    },
    push: (path, url, id) => git(path, 'push', '-q', url, `${id}:${mainReference}`),
    clone: (url, path) => git('/', 'clone', '-q', '--no-checkout', url, path),
    fetch: (path, url) => git(path, 'fetch', '-q', url, `+${mainReference}:refs/remotes/origin/${mainBranch}`),
    find: (path, id) => git(path, 'rev-list', '--objects', '--quiet', id),
    list: async (path) => linesOf(await git(path, 'rev-list', '--branches')),
    verify: (path) => git(path, 'fsck', '--strict', '--connectivity-only'),
  },
  hg: {
    async commit(path, at) {
      await writeFile(join(path, someFile), String(at));
      await hg(path, 'commit', '-q', '-A', '-m', `push ${at}`, '-u', author.full);
      return hg(path, 'log', '-r', '.', '-T', '{node}');
    },
    push: (path, url) => hg(path, 'push', '-q', url),
    clone: (url, path) => hg('/', 'clone', '-q', '-U', url, path),
    fetch: (path, url) => hg(path, 'pull', '-q', url),
    find: (path, id) => hg(path, 'log', '-r', id, '-T', '{rev}'),
    list: async (path) => linesOf(await hg(path, 'log', '-T', '{node}\n')),
    verify: (path) => hg(path, 'verify', '-q'),
  },
};
