import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from './backend.ts';
import { commitGit, git, gitCommand, hg, hgCommand, writeFiles } from './testing/tools.ts';
import { VcsError } from './vcs-error.ts';
import { makeSource, neverAborted, openWorkbench, type Workbench } from './testing/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

/** Returns the kind of the error with which a verification ends, null for none. */
async function outcomeOf(backend: VcsBackend, path: string): Promise<string | null> {
  return backend.verify(path, neverAborted).then(
    () => null,
    (error: unknown) => (error instanceof VcsError ? error.kind : String(error)),
  );
}

async function makeHg(): Promise<string> {
  const { directory } = await makeSource(bench, 'hg');
  // Mercurial names a damaged file before it says what of it is damaged.
  await writeFiles(directory, { 'a: out of memory': '1', b: '2' });
  await hg(directory, 'commit', '-A', '-m', 'change', '-u', 'ann');
  return directory;
}

describe('verify git', () => {
  const identity = 'Ann <ann@example.com> 0 +0000';

  it('accepts an empty repository, and objects that are malformed but whole', async () => {
    const path = bench.freshPath();
    const backend = bench.backends.git;
    await backend.init(path, 'uuid');
    expect(await outcomeOf(backend, path)).toBe(null);
    const tree = await git(path, 'hash-object', '-t', 'tree', '-w', '/dev/null');
    const malformed = `tree ${tree}\nauthor Ann<ann@example.com> 0 +0000\ncommitter ${identity}\n\nx\n`;
    await writeFile(join(path, 'malformed'), malformed);
    const id = await git(path, 'hash-object', '-t', 'commit', '-w', '--literally', 'malformed');
    await git(path, 'update-ref', 'refs/heads/master', id);
    await expect(git(path, 'fsck')).rejects.toThrow('error in commit');
    expect(await outcomeOf(backend, path)).toBe(null);
    await git(path, 'repack', '-a', '-d', '-q');
    expect(await outcomeOf(backend, path)).toBe(null);
    // Some in a pack, and some beside it.
    const next = malformed.replace('\n\n', '\n\nnext ');
    await writeFile(join(path, 'malformed'), next);
    await git(
      path,
      'update-ref',
      'refs/heads/next',
      await git(path, 'hash-object', '-t', 'commit', '-w', '--literally', 'malformed'),
    );
    expect(await outcomeOf(backend, path)).toBe(null);
  });

  it('finds an object that is missing or damaged', async () => {
    const source = await makeSource(bench, 'git');
    await commitGit(source.directory, { a: '1' });
    for (const damage of ['missing', 'emptied'] as const) {
      const path = bench.freshPath();
      await bench.backends.git.fork(join(source.directory, '.git'), path, 'uuid', neverAborted);
      const blob = await git(path, 'rev-parse', 'HEAD:a');
      const object = join(path, 'objects', blob.slice(0, 2), blob.slice(2));
      // Unlinked at first, since the source has the same file.
      await rm(object);
      if (damage === 'emptied') await writeFile(object, '');
      expect([damage, await outcomeOf(bench.backends.git, path)]).toEqual([damage, 'damaged']);
    }
  });

  it.each<readonly [string, string, string]>([
    ['is killed', 'kill -9 $$', 'busy'],
    ['gets no memory', 'echo "fatal: Out of memory, malloc failed" >&2; exit 128', 'failed'],
    ['gets no file descriptor', 'echo "error: cannot open x: Too many open files" >&2; exit 4', 'failed'],
    ['does not end', 'exec sleep 60', 'timeout'],
    ['finds more than it may say', 'exec head -c 17000000 /dev/zero', 'damaged'],
    ['cannot read the disk', 'echo "fatal: unable to read x: Input/output error" >&2; exit 128', 'damaged'],
  ])('tells what is damaged from what could not be read when git %s', async (_what, script, kind) => {
    const command = bench.freshPath();
    const real = gitCommand.join(' ');
    await writeFile(command, `#!/bin/sh\ncase "$*" in *fsck*) ${script};; esac\nexec ${real} "$@"\n`, { mode: 0o755 });
    const backends = await bench.open({ gitCommand: [command], fetchTimeoutMs: kind === 'timeout' ? 1_000 : 30_000 });
    const path = bench.freshPath();
    await backends.git.init(path, 'uuid');
    expect(await outcomeOf(backends.git, path)).toBe(kind);
  });
});

describe('verify hg', () => {
  it('finds a file that is missing or damaged', async () => {
    for (const damage of ['missing', 'changed'] as const) {
      const path = await makeHg();
      expect(await outcomeOf(bench.backends.hg, path)).toBe(null);
      const data = join(path, '.hg/store/data');
      const file = join(data, (await readdir(data)).find((name) => name.startsWith('a')) ?? '');
      const bytes = await readFile(file);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      await (damage === 'missing' ? rm(file) : writeFile(file, bytes));
      expect([damage, await outcomeOf(bench.backends.hg, path)]).toEqual([damage, 'damaged']);
    }
  });

  it.each<readonly [string, string, string]>([
    ['gets no memory', 'raise MemoryError()', 'failed'],
    ['is killed', 'os.kill(os.getpid(), 9)', 'busy'],
    ['gets no file descriptor', 'raise OSError(24, "Too many open files")', 'failed'],
    ['does not end', 'time.sleep(60)', 'timeout'],
    ['finds more than it may say', 'repo.ui.write(b"x" * (2 << 20))', 'damaged'],
    ['stumbles over what it has read', 'raise IndexError("no such revision")', 'damaged'],
  ])('tells what is damaged from what could not be read when hg %s', async (_what, statement, kind) => {
    const extension = `${bench.freshPath()}.py`;
    const lines = ['import os, time', 'from mercurial import hg', 'def verify(repo, *a, **k):', `    ${statement}`];
    await writeFile(extension, [...lines, 'hg.verify = verify', ''].join('\n'));
    const command = [...hgCommand, '--config', `extensions.faulty=${extension}`];
    const backends = await bench.open({ hgCommand: command, fetchTimeoutMs: kind === 'timeout' ? 1_000 : 30_000 });
    expect(await outcomeOf(backends.hg, await makeHg())).toBe(kind);
  });
});
