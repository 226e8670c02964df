import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitGit, git } from '../testing/tools.ts';
import { makeSource, openWorkbench, type Workbench } from '../testing/workbench.ts';
import { findRef } from './find-ref.ts';

let bench: Workbench;
let work: string;
let path: string;
let rawId: string;

beforeAll(async () => {
  bench = await openWorkbench();
  work = (await makeSource(bench, 'git')).directory;
  path = join(work, '.git');
  rawId = await commitGit(work, { a: '1' });
  await git(work, 'branch', 'side/é');
  await git(work, 'tag', '-a', '-m', 'x', 'v1');
});
afterAll(() => bench.close());

/** Returns what git itself finds. */
async function ofGit(ref: string) {
  const line = await git(work, 'show-ref', '--verify', '--', ref).catch(() => '');
  return { id: line.split(' ')[0] || null };
}

const refs = [
  'refs/heads/main',
  'refs/heads/side/é',
  'refs/tags/v1',
  'refs/heads/side',
  'refs/heads/mai',
  'refs/heads/main/x',
  'refs/heads/none',
  'refs/heads/refs/heads/main',
];

describe('findRef', () => {
  it('finds what git finds, in files of their own, and in packed ones', async () => {
    for (const ref of refs) expect([ref, await findRef(path, ref)]).toEqual([ref, await ofGit(ref)]);
    await git(work, 'pack-refs', '--all');
    for (const ref of refs) expect([ref, await findRef(path, ref)]).toEqual([ref, await ofGit(ref)]);
    expect((await findRef(path, 'refs/heads/main')) as object).toEqual({ id: rawId });
  });

  it('a file of its own is newer than the packed one', async () => {
    const newer = await commitGit(work, { a: '2' });
    expect(await findRef(path, 'refs/heads/main')).toEqual({ id: newer });
    expect(await findRef(path, 'refs/heads/side/é')).toEqual({ id: rawId });
  });

  it('leaves to git what is no plain id: symbolic references, damage, long names', async () => {
    await git(work, 'symbolic-ref', 'refs/heads/symbolic', 'refs/heads/main');
    await writeFile(join(path, 'refs/heads/damaged'), 'x'.repeat(40));
    const long = `refs/heads/${'é'.repeat(200)}`;
    for (const ref of ['refs/heads/symbolic', 'refs/heads/damaged', long]) {
      expect([ref, await findRef(path, ref)]).toEqual([ref, 'unclear']);
    }
    await rm(join(path, 'refs/heads/damaged'));
  });

  it('leaves packed references to git that are damaged or many', async () => {
    const packed = join(path, 'packed-refs');
    await appendFile(packed, `${'x'.repeat(40)} refs/heads/odd\n`);
    expect(await findRef(path, 'refs/heads/odd')).toBe('unclear');
    await appendFile(packed, rawId.slice(0, 20));
    expect(await findRef(path, 'refs/heads/none')).toBe('unclear');
    await writeFile(packed, `${rawId} refs/heads/some-long-name-of-a-branch\n`.repeat(20_000));
    expect(await findRef(path, 'refs/heads/none')).toBe('unclear');
    await rm(packed);
    await mkdir(join(path, 'refs/heads/empty'));
    expect(await findRef(path, 'refs/heads/empty')).toEqual({ id: null });
  });
});
