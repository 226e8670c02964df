import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PullOptions, VcsBackend } from '../backend.ts';
import { feedGit } from '../testing/feed-git.ts';
import { plantGit } from '../testing/plant-git.ts';
import { fileServer, gitHttpBackend, serve } from '../testing/serve.ts';
import { commitGit, git } from '../testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let backend: VcsBackend;
beforeAll(async () => {
  bench = await openWorkbench();
  backend = bench.backends.git;
});
afterAll(() => bench.close());

const refs = async (path: string) => (await git(path, 'for-each-ref', '--format=%(refname)')).split('\n');
const headOf = (path: string) => readFile(join(path, 'HEAD'), 'utf8');

/** A remote with a work tree; `publish` is called after each change, for a server that knows no git. */
async function makeRemote(server: 'git' | 'a file server') {
  const source = await makeSource(bench, 'git');
  const { directory } = source;
  if (server === 'git') return { directory, url: source.url, publish: async () => {} };
  const { url } = bench.closeLater(await serve(fileServer(directory)));
  return { directory, url: `${url}/.git`, publish: () => git(directory, 'update-server-info').then(() => {}) };
}

async function imported(url: string): Promise<string> {
  const path = bench.freshPath();
  await backend.importFrom(path, 'uuid', remoteOf('git', url), neverAborted);
  return path;
}

const pull = (path: string, url: string, options: PullOptions = {}) =>
  backend.pull(path, remoteOf('git', url), neverAborted, options);

describe.each(['git', 'a file server'] as const)('a remote served by %s', (server) => {
  it('is copied with branches and tags, and HEAD leads to the branch of its HEAD', async () => {
    const { directory, url, publish } = await makeRemote(server);
    await commitGit(directory, { a: '1' });
    await git(directory, 'tag', 'light');
    await git(directory, 'tag', '-a', '-m', 'x', 'v1/é');
    await git(directory, 'update-ref', 'refs/notes/private', 'HEAD');
    await git(directory, 'checkout', '-q', '-b', 'side/é');
    await commitGit(directory, { a: '2' });
    await publish();
    const path = await imported(url);
    expect(await refs(path)).toEqual([
      ...['refs/heads/main', 'refs/heads/side/é', 'refs/tags/light', 'refs/tags/v1/é'],
    ]);
    expect(await headOf(path)).toBe('ref: refs/heads/side/é\n');
    expect(await git(path, 'rev-parse', '--is-bare-repository')).toBe('true');
    await git(path, 'fsck', '--strict');
  });

  it('whose HEAD leads to no branch is copied with the usual one, else the newest', async () => {
    const { directory, url, publish } = await makeRemote(server);
    const first = await commitGit(directory, { a: '1' });
    await git(directory, 'checkout', '-q', '--detach');
    await git(directory, 'branch', '-m', 'main', 'zeta');
    await git(directory, 'branch', 'alpha');
    await commitGit(directory, { a: 'of no branch' });
    const newest = ['commit-tree', '-p', first, `${first}^{tree}`];
    const later = { GIT_COMMITTER_DATE: '2040-01-01T00:00:00Z' };
    await git(directory, 'update-ref', 'refs/heads/middle', await feedGit(join(directory, '.git'), newest, 'x', later));
    await publish();
    const heads = [await headOf(await imported(url))];
    for (const name of ['trunk', 'master', 'main']) {
      await git(directory, 'branch', name, first);
      await publish();
      heads.push(await headOf(await imported(url)));
    }
    await git(directory, 'symbolic-ref', 'HEAD', 'refs/heads/gone');
    heads.push(await headOf(await imported(url)));
    expect(heads).toEqual(['middle', 'trunk', 'master', 'main', 'main'].map((name) => `ref: refs/heads/${name}\n`));
  });

  it('without a branch is copied, and its first branch comes with the branch of its HEAD by a pull', async () => {
    const { directory, url, publish } = await makeRemote(server);
    const first = await commitGit(directory, { a: '1' });
    await git(directory, 'tag', 'alone');
    await git(directory, 'symbolic-ref', 'HEAD', 'refs/heads/chosen');
    await git(directory, 'branch', '-D', 'main');
    await publish();
    const path = await imported(url);
    await git(directory, 'update-ref', 'refs/heads/chosen', first);
    await git(directory, 'branch', 'main');
    await publish();
    expect(await pull(path, url)).toMatchObject({ branchesAdded: 2 });
    expect(await headOf(path)).toBe('ref: refs/heads/chosen\n');
  });

  it('is pulled: branches follow, tags come and never move, and what is gone stays until a pull prunes', async () => {
    const { directory, url, publish } = await makeRemote(server);
    const first = await commitGit(directory, { a: '1' });
    await git(directory, 'branch', 'gone');
    for (const name of ['kept', 'old']) await git(directory, 'tag', name);
    await commitGit(directory, { a: '2' });
    await publish();
    const path = await imported(url);
    await git(directory, 'reset', '-q', '--hard', first);
    const rewritten = await commitGit(directory, { a: '3' });
    await git(directory, 'tag', 'new');
    await git(directory, 'tag', '-f', 'kept');
    await git(directory, 'tag', '-d', 'old');
    await git(directory, 'checkout', '-q', '--detach');
    const released = await commitGit(directory, { a: 'of no branch' });
    await git(directory, 'tag', '-a', '-m', 'x', 'released');
    await git(directory, 'checkout', '-q', 'main');
    await git(directory, 'branch', '-q', '-D', 'gone');
    await publish();
    const none = { branchesAdded: 0, branchesMoved: 0, branchesRemoved: 0, tagsAdded: 0, tagsRemoved: 0, leftOut: 0 };
    expect(await pull(path, url)).toEqual({ ...none, branchesMoved: 1, tagsAdded: 2, tagsKept: 1 });
    expect(await refs(path)).toEqual([
      ...['refs/heads/gone', 'refs/heads/main'],
      ...['refs/tags/kept', 'refs/tags/new', 'refs/tags/old', 'refs/tags/released'],
    ]);
    expect(await git(path, 'rev-parse', 'main', 'kept', 'released^{}')).toBe(`${rewritten}\n${first}\n${released}`);
    await git(path, 'fsck', '--strict');
    let touched = 0;
    const beforeWriting = async () => void (touched += 1);
    expect(await pull(path, url, { beforeWriting })).toEqual({ ...none, tagsKept: 1 });
    expect(touched).toBe(0);
    const pruned = await pull(path, url, { beforeWriting, prunes: true });
    expect(pruned).toEqual({ ...none, branchesRemoved: 1, tagsRemoved: 1, tagsKept: 1 });
    expect(touched).toBe(1);
    expect(await refs(path)).toEqual(['refs/heads/main', ...['refs/tags/kept', 'refs/tags/new', 'refs/tags/released']]);
  });

  it('has its branch of HEAD pruned: HEAD leads to the branch of its HEAD then', async () => {
    const { directory, url, publish } = await makeRemote(server);
    await commitGit(directory, { a: '1' });
    await publish();
    const path = await imported(url);
    await git(directory, 'checkout', '-q', '-b', 'main2');
    await git(directory, 'branch', '-q', 'another');
    await git(directory, 'branch', '-q', '-D', 'main');
    // Git keeps it in a directory that has the name of the branch that is gone.
    await git(directory, 'branch', '-q', 'main/below');
    await publish();
    expect(await pull(path, url)).toMatchObject({ branchesAdded: 2, leftOut: 1 });
    expect(await headOf(path)).toBe('ref: refs/heads/main\n');
    expect(await pull(path, url, { prunes: true })).toMatchObject({ branchesAdded: 1, branchesRemoved: 1 });
    expect(await refs(path)).toEqual(['refs/heads/another', 'refs/heads/main/below', 'refs/heads/main2']);
    expect(await headOf(path)).toBe('ref: refs/heads/main2\n');
  });

  it('C4 whose objects no push may bring is neither copied nor pulled', async () => {
    const { directory, url, publish } = await makeRemote(server);
    await commitGit(directory, { a: '1' });
    await publish();
    const path = await imported(url);
    const before = await refs(path);
    await git(directory, 'checkout', '-q', '--detach');
    const evil = await plantGit(join(directory, '.git'), [['.git', { tree: [['config', { file: 'x' }]] }]]);
    await publish();
    const refused = { failure: 'broken remote' };
    await expect(imported(url)).rejects.toMatchObject(refused);
    await expect(pull(path, url)).rejects.toMatchObject(refused);
    expect(await refs(path)).toEqual(before);
    expect(await git(path, 'rev-parse', 'main')).not.toBe(evil);
    // A push without objects could lead a branch to what is here.
    await expect(git(path, 'cat-file', '-e', evil)).rejects.toThrow('Command failed');
  });
});

it('D8 new names that cannot be beside one another are left out, but for the first', async () => {
  const { directory, url, publish } = await makeRemote('a file server');
  const id = await commitGit(directory, { a: '1' });
  await publish();
  const path = await imported(url);
  const names = ['refs/tags/a', 'refs/tags/a/b', 'refs/tags/c/d', 'refs/tags/c/d/e', 'refs/tags/f'];
  await writeFile(
    join(directory, '.git/info/refs'),
    ['refs/heads/main', ...names].map((name) => `${id}\t${name}\n`).join(''),
  );
  expect(await pull(path, url)).toMatchObject({ tagsAdded: 3, leftOut: 2 });
  expect(await refs(path)).toEqual(['refs/heads/main', 'refs/tags/a', 'refs/tags/c/d', 'refs/tags/f']);
});

it('C4 a remote that answers as git at first, and sends files then, brings no object that no push may bring', async () => {
  const { directory } = await makeRemote('a file server');
  await commitGit(directory, { a: '1' });
  await git(directory, 'update-server-info');
  const [listing, files] = [gitHttpBackend(directory), fileServer(directory)];
  const { url } = bench.closeLater(
    await serve((request, response) => {
      // Native git tells its number, and this service does not.
      const isFetch = /^git\/\d/.test(request.headers['user-agent'] ?? '');
      return (isFetch ? files : listing)(request, response);
    }),
  );
  const path = await imported(`${url}/.git`);
  const before = await git(path, 'rev-parse', 'main');
  await git(directory, 'checkout', '-q', '--detach');
  await plantGit(join(directory, '.git'), [['.git', { tree: [['config', { file: 'x' }]] }]]);
  await git(directory, 'update-server-info');
  const refused = { failure: 'broken remote' };
  await expect(imported(`${url}/.git`)).rejects.toMatchObject(refused);
  await expect(pull(path, `${url}/.git`)).rejects.toMatchObject(refused);
  expect(await git(path, 'rev-parse', 'main')).toBe(before);
});

it('mends a HEAD that leads nowhere by a pull without news', async () => {
  const { directory, url } = await makeRemote('git');
  await commitGit(directory, { a: '1' });
  const path = await imported(url);
  await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/gone');
  expect(await backend.isHeadDangling(path)).toBe(true);
  expect(await pull(path, url)).toMatchObject({ branchesAdded: 0 });
  expect(await headOf(path)).toBe('ref: refs/heads/main\n');
  expect(await backend.isHeadDangling(path)).toBe(false);
});

it('C9 mends such a HEAD by a pull where a dead process has left its lock', async () => {
  const { directory, url } = await makeRemote('git');
  await commitGit(directory, { a: '1' });
  const path = await imported(url);
  await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/gone');
  await writeFile(join(path, 'HEAD.lock'), 'ref: refs/heads/other\n');
  await pull(path, url);
  expect(await headOf(path)).toBe('ref: refs/heads/main\n');
  expect(await readdir(path)).not.toContain('HEAD.lock');
});

it('names that are no UTF-8 stay what they are', async () => {
  const { directory, url } = await makeRemote('git');
  await commitGit(directory, { a: '1' });
  const path = await imported(url);
  const id = await git(directory, 'rev-parse', 'HEAD');
  await writeFile(
    join(directory, '.git/packed-refs'),
    Buffer.from(`# pack-refs with: peeled fully-peeled sorted \n${id} refs/tags/caf\xe9\n`, 'latin1'),
  );
  expect(await pull(path, url)).toMatchObject({ tagsAdded: 1 });
  expect(await pull(path, url)).toMatchObject({ tagsAdded: 0 });
  const names = await readdir(join(path, 'refs/tags'), { encoding: 'buffer' });
  expect(names.map((name) => name.toString('latin1'))).toEqual(['caf\xe9']);
});

it('a fork has a HEAD that leads to a branch, and one that an owner has chosen stays', async () => {
  const { directory, url } = await makeRemote('git');
  await commitGit(directory, { a: '1' });
  await git(directory, 'branch', 'chosen');
  const source = await imported(url);
  const forkHead = async (reference: string) => {
    await git(source, 'symbolic-ref', 'HEAD', reference);
    const path = bench.freshPath();
    await backend.fork(source, path, 'uuid', neverAborted);
    return headOf(path);
  };
  expect(await forkHead('refs/heads/gone')).toBe('ref: refs/heads/main\n');
  expect(await forkHead('refs/heads/chosen')).toBe('ref: refs/heads/chosen\n');
  await git(source, 'update-ref', '--no-deref', 'HEAD', await git(source, 'commit-tree', '-m', 'x', 'main^{tree}'));
  const path = bench.freshPath();
  await backend.fork(source, path, 'uuid', neverAborted);
  expect(await headOf(path)).toBe('ref: refs/heads/main\n');
});

it('an adopted repository has a HEAD that leads to a branch', async () => {
  const path = bench.freshPath();
  const { directory } = await makeRemote('git');
  await commitGit(directory, { a: '1' });
  await git(directory, 'clone', '-q', '--bare', directory, path);
  for (const lost of [
    ['symbolic-ref', 'HEAD', 'refs/heads/gone'],
    ['update-ref', '--no-deref', 'HEAD', 'main'],
  ]) {
    await git(path, ...lost);
    await backend.replaceConfiguration(path, 'uuid');
    expect(await headOf(path)).toBe('ref: refs/heads/main\n');
  }
});
