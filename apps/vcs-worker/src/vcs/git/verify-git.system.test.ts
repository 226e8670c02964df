import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from '../backend.ts';
import { commitGit, git } from '../testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let backend: VcsBackend;
beforeAll(async () => {
  bench = await openWorkbench();
  backend = bench.backends.git;
});
afterAll(() => bench.close());

describe('verify', () => {
  const identity = 'Ann <ann@example.com> 0 +0000';

  it('accepts an empty repository, and objects that are malformed but whole', async () => {
    const path = bench.freshPath();
    await backend.init(path, 'uuid');
    await backend.verify(path, neverAborted);
    const tree = await git(path, 'hash-object', '-t', 'tree', '-w', '/dev/null');
    const malformed = `tree ${tree}\nauthor Ann<ann@example.com> 0 +0000\ncommitter ${identity}\n\nx\n`;
    await writeFile(join(path, 'malformed'), malformed);
    const id = await git(path, 'hash-object', '-t', 'commit', '-w', '--literally', 'malformed');
    await git(path, 'update-ref', 'refs/heads/master', id);
    await expect(git(path, 'fsck')).rejects.toThrow('error in commit');
    await backend.verify(path, neverAborted);
  });

  it('fails when an object is missing or damaged', async () => {
    const source = await makeSource(bench, 'git');
    await commitGit(source.directory, { a: '1' });
    for (const damage of ['missing', 'emptied'] as const) {
      const path = bench.freshPath();
      await backend.fork(join(source.directory, '.git'), path, 'uuid', neverAborted);
      const blob = await git(path, 'rev-parse', 'HEAD:a');
      const object = join(path, 'objects', blob.slice(0, 2), blob.slice(2));
      // Unlinked at first, since the source has the same file.
      await rm(object);
      if (damage === 'emptied') await writeFile(object, '');
      await expect(backend.verify(path, neverAborted)).rejects.toMatchObject({ kind: 'failed' });
    }
  });
});
