import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitGit, commitHg, git, hg } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

describe('what pages of git show first', () => {
  const refOf = (path: string) => bench.backends.git.defaultRef(join(path, '.git'));

  async function made(): Promise<string> {
    const path = bench.freshPath();
    await git(bench.directory, 'init', '-q', '-b', 'main', path);
    return path;
  }

  it('is the branch of HEAD, whatever is newer', async () => {
    const path = await made();
    expect(await refOf(path)).toBeNull();
    const rawId = await commitGit(path, { a: '1' });
    await git(path, 'switch', '-q', '-c', 'feature/x');
    await commitGit(path, { a: '2' });
    await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/main');
    expect(await refOf(path)).toEqual({ kind: 'branch', name: 'main', rawId });
    await git(path, 'pack-refs', '--all');
    expect(await refOf(path)).toEqual({ kind: 'branch', name: 'main', rawId });
  });

  it('is nothing for a HEAD to a branch that is missing, or to a commit', async () => {
    const path = await made();
    const rawId = await commitGit(path, { a: '1' });
    await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/gone');
    expect(await refOf(path)).toBeNull();
    await writeFile(join(path, '.git/HEAD'), `${rawId}\n`);
    expect(await refOf(path)).toBeNull();
  });
});

describe('what pages of hg show first', () => {
  const refOf = (path: string) => bench.backends.hg.defaultRef(path);

  async function made(): Promise<string> {
    const path = bench.freshPath();
    await hg(bench.directory, 'init', path);
    return path;
  }

  async function commitOn(path: string, branch: string, from: string): Promise<string> {
    await hg(path, 'update', '-q', from);
    await hg(path, 'branch', '-q', '-f', branch);
    return commitHg(path, { [branch]: from });
  }

  const close = (path: string) => hg(path, 'commit', '-q', '--close-branch', '-m', 'close', '-u', 'Ann');

  it('is nothing in an empty repository', async () => {
    expect(await refOf(await made())).toBeNull();
  });

  it('is the newest open head of `default`, whatever is newer', async () => {
    const path = await made();
    const first = await commitHg(path, { a: '1' });
    const second = await commitHg(path, { a: '2' });
    await commitOn(path, 'feature/x', first);
    expect(await refOf(path)).toEqual({ kind: 'branch', name: 'default', rawId: second });
    await commitOn(path, 'default', first);
    await close(path);
    expect(await refOf(path)).toEqual({ kind: 'branch', name: 'default', rawId: second });
    expect(await bench.backends.hg.resolveRevision(path, 'branch:default')).toBe(second);
  });

  it('is the branch of the newest open head where `default` is closed or missing', async () => {
    const path = await made();
    await commitHg(path, { a: '1' });
    await close(path);
    const older = await commitOn(path, 'older', '0');
    const newer = await commitOn(path, 'newer, with "signs"', '0');
    expect(await refOf(path)).toEqual({ kind: 'branch', name: 'newer, with "signs"', rawId: newer });
    await close(path);
    expect(await refOf(path)).toEqual({ kind: 'branch', name: 'older', rawId: older });
    await hg(path, 'update', '-q', 'older');
    await close(path);
    expect(await refOf(path)).toBeNull();
  });

  it('is the bookmark `@`, of which the log lists what it reaches', async () => {
    const path = await made();
    const first = await commitHg(path, { a: '1' });
    const second = await commitOn(path, 'side', '0');
    await commitOn(path, 'default', '0');
    await hg(path, 'bookmark', '-r', second, '@');
    await appendFile(join(path, '.hg/bookmarks'), `${first} @elsewhere\n`);
    expect(await refOf(path)).toEqual({ kind: 'bookmark', name: '@', rawId: second });
    const reached = await bench.backends.hg.log(path, { branch: 'book:@', withFiles: false });
    expect(reached.map(({ rawId }) => rawId)).toEqual([first, second]);
    await expect(bench.backends.hg.log(path, { branch: 'book:none', withFiles: false })).rejects.toMatchObject({
      kind: 'unknown-revision',
    });
  });
});
