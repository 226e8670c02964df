import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesChangedBy, syncsDuring } from './testing/watched-files.ts';
import { commitGit, commitHg, git } from './testing/tools.ts';
import { traceGit } from './testing/traced-git.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from './testing/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

describe('what a pull has brought survives a power failure once it is acknowledged', () => {
  it('of git: the pack, the references, and their directories are synced', async () => {
    const directory = bench.freshPath();
    await mkdir(directory);
    const traced = await traceGit(directory);
    const { git: backend } = await bench.open({ gitCommand: traced.command });
    const source = await makeSource(bench, 'git');
    await commitGit(source.directory, { a: '1' });
    const remote = remoteOf('git', source.url);
    const path = bench.freshPath();
    await backend.importFrom(path, 'uuid', remote, neverAborted);
    await commitGit(source.directory, { a: '2' });
    await git(source.directory, 'branch', 'side/way');
    const before = await traced.syncsOf('update-ref');
    let changed: readonly string[] = [];
    const synced = await syncsDuring(async () => {
      changed = await filesChangedBy(path, () => backend.pull(path, remote, neverAborted));
    });
    const directories = ['objects/pack', 'objects', 'refs/heads', 'refs/heads/side', 'refs', '.'];
    expect([...synced]).toEqual(expect.arrayContaining(directories.map((one) => join(path, one))));
    // Objects come in one pack, which git syncs in any case; two references beside it.
    const names = changed.map((file) => file.slice(path.length + 1).replace(/pack-\w+/, 'pack'));
    expect(names.toSorted()).toEqual([
      'objects/pack/pack.idx',
      'objects/pack/pack.pack',
      ...names.filter((name) => name.endsWith('.rev')),
      'refs/heads/main',
      'refs/heads/side/way',
    ]);
    expect((await traced.syncsOf('update-ref')) - before).toBeGreaterThanOrEqual(2);
  });

  it('of Mercurial: each file that has changed is synced', async () => {
    const { hg: backend } = bench.backends;
    const source = await makeSource(bench, 'hg');
    await commitHg(source.directory, { a: '1' });
    const remote = remoteOf('hg', source.url);
    const path = bench.freshPath();
    await backend.importFrom(path, 'uuid', remote, neverAborted);
    await commitHg(source.directory, { a: '2', 'dir/b': '1' });
    let changed: readonly string[] = [];
    const synced = await syncsDuring(async () => {
      changed = await filesChangedBy(path, () => backend.pull(path, remote, neverAborted));
    });
    expect(changed).toEqual(expect.arrayContaining([join(path, '.hg/store/00changelog.i')]));
    expect([...synced]).toEqual(expect.arrayContaining([...changed, join(path, '.hg/store'), join(path, '.hg')]));
  });
});
