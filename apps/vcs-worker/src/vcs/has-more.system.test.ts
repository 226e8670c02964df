import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitGit, commitHg, git, hg } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

/** Makes a repository with two commits and a copy of it; returns their paths. */
async function makePair(type: 'hg' | 'git') {
  const [path, other] = [bench.freshPath(), bench.freshPath()];
  if (type === 'hg') await hg(bench.directory, 'init', path);
  else await git(bench.directory, 'init', '-q', '-b', 'main', path);
  const commit = type === 'hg' ? commitHg : commitGit;
  await commit(path, { a: '1' });
  await commit(path, { a: '2' });
  await cp(path, other, { recursive: true });
  return { path, other };
}

describe('hasMoreThan of hg', () => {
  const hasMore = (path: string, other: string) => bench.backends.hg.hasMoreThan(path, other);

  it('is false for a copy, and for one that has got more', async () => {
    const { path, other } = await makePair('hg');
    expect(await hasMore(path, other)).toBe(false);
    await commitHg(other, { a: '3' });
    expect([await hasMore(path, other), await hasMore(other, path)]).toEqual([false, true]);
  });

  it.each([
    ['a second head of a branch', []],
    ['a head of a closed branch', ['branch', 'closed']],
    ['a bookmark', ['bookmark', 'mine']],
  ])('is true for %s that the other one lacks', async (_, begin) => {
    const { path, other } = await makePair('hg');
    await hg(path, 'update', '-q', '0');
    if (begin.length > 0) await hg(path, ...begin);
    await commitHg(path, { b: '1' });
    if (begin.includes('closed')) await hg(path, 'commit', '-q', '--close-branch', '-m', 'close', '-u', 'Ann');
    // The tip of the branch is there.
    await hg(path, 'update', '-q', '1');
    await commitHg(path, { a: '3' });
    await hg(other, 'pull', '-q', '-r', 'tip', path);
    expect(await hasMore(path, other)).toBe(true);
    await hg(other, 'pull', '-q', path);
    expect(await hasMore(path, other)).toBe(false);
  });
});

describe('hasMoreThan of git', () => {
  const hasMore = (path: string, other: string) =>
    bench.backends.git.hasMoreThan(join(path, '.git'), join(other, '.git'));

  it('is false for a copy, and for one that has got more', async () => {
    const { path, other } = await makePair('git');
    expect(await hasMore(path, other)).toBe(false);
    await commitGit(other, { a: '3' });
    expect([await hasMore(path, other), await hasMore(other, path)]).toEqual([false, true]);
  });

  it.each([['refs/heads/next'], ['refs/tags/v1'], ['refs/hidden/next']])(
    'is true for a commit of %s that no reference of the other one reaches',
    async (name) => {
      const { path, other } = await makePair('git');
      const id = (await git(path, 'commit-tree', '-m', 'more', '-p', 'HEAD', 'HEAD^{tree}')).trim();
      await git(path, 'update-ref', name, id);
      expect(await hasMore(path, other)).toBe(true);
      // The object alone would go with the next maintenance.
      await git(other, 'fetch', '-q', path, name);
      expect(await hasMore(path, other)).toBe(true);
      await git(other, 'update-ref', 'refs/other/one', id);
      expect(await hasMore(path, other)).toBe(false);
    },
  );
});
