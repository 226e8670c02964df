import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { childEnvironment } from '../../process/child-environment.ts';
import { scopeOfOperation } from '../../process/call-scope.ts';
import type { Unreachable } from '../../maintenance.ts';
import { fastImport } from '../../testing/feed-git.ts';
import { commit, file } from '../../testing/odd-git.ts';
import { git, gitCommand } from '../../testing/tools.ts';
import { neverAborted } from '../../testing/workbench.ts';
import { createCommitGraphs } from '../commit-graph.ts';
import { createGitCommands } from '../git-commands.ts';
import { createGitMaintenance } from './git-maintenance.ts';

const limits = { memoryBytes: 4 * 1024 ** 3 };
const timeoutMs = 60_000;
const common = { gitCommand, limits, timeoutMs };
const commands = createGitCommands({
  ...common,
  env: childEnvironment(),
  stdoutBytesMax: 1 << 20,
  scope: scopeOfOperation,
});
const graphs = createCommitGraphs(commands, { env: childEnvironment(), timeoutMs, limits });
const steps = createGitMaintenance({ ...common, graphs });
const dayMs = 86_400_000;

const change = (mark: number) => commit({ mark, parents: mark === 1 ? [] : [mark - 1] }, [file('file', String(mark))]);

/** Makes a repository with two commits on `main`, each in a pack, and one to which nothing leads. */
async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-maintenance-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'bare');
  await git(directory, 'init', '-q', '--bare', '-b', 'main', path);
  /** Makes the first commits of the history the branch `main`; returns the id of the last. */
  const commitUpTo = async (count: number) => {
    await fastImport(path, Array.from({ length: count }, (_, at) => change(at + 1)).join(''));
    return git(path, 'rev-parse', 'main');
  };
  await commitUpTo(1);
  await git(path, 'repack', '-d', '-q');
  await commitUpTo(2);
  await git(path, 'repack', '-d', '-q');
  const lost = await commitUpTo(3);
  await git(path, 'update-ref', 'refs/heads/main', `${lost}~`);
  let runs = 0;
  /** Maintains the repository; returns whether objects were removed. */
  const maintain = async (unreachable: Unreachable, keptMs = 14 * dayMs) => {
    runs += 1;
    const files = await steps.pack(
      path,
      { staging: join(directory, `staging-${runs}`), unreachable, keptMs },
      neverAborted,
    );
    if (!files) return false;
    expect([await files.settle(), await files.isCurrent()]).toEqual([true, true]);
    await files.add();
    await git(path, 'fsck', '--strict', '--full');
    while (!(await files.removeReplaced()));
    // On a busy machine a second may not be enough.
    while (!(await steps.tidy(path)));
    await git(path, 'fsck', '--strict', '--full');
    return files.removesObjects;
  };
  const has = (id: string) =>
    git(path, 'cat-file', '-e', id).then(
      () => true,
      () => false,
    );
  const packs = async (ending: string) =>
    (await readdir(join(path, 'objects/pack'))).filter((name) => name.endsWith(ending));
  return { directory, path, lost, maintain, has, packs };
}

it('packs, loose objects and references are packed, and nothing is lost', async () => {
  const { path, lost, maintain, has, packs } = await setUp();
  const ids = await git(path, 'rev-list', '--objects', '--all');
  expect(await maintain('kept')).toBe(false);
  expect(await git(path, 'rev-list', '--objects', '--all')).toBe(ids);
  expect(await has(lost)).toBe(true);
  expect(await packs('.pack')).toHaveLength(1);
  expect(await readdir(join(path, 'refs/heads'))).toEqual([]);
  await git(path, 'commit-graph', 'verify');
  await git(path, 'multi-pack-index', 'verify');
});

it('a HEAD that leads to no branch is mended, and no other', async () => {
  const { path, maintain } = await setUp();
  const head = () => git(path, 'symbolic-ref', 'HEAD');
  await git(path, 'branch', 'chosen', 'main');
  for (const [before, after] of [
    ['gone', 'main'],
    ['chosen', 'chosen'],
  ]) {
    await git(path, 'symbolic-ref', 'HEAD', `refs/heads/${before}`);
    await maintain('kept');
    expect(await head()).toBe(`refs/heads/${after}`);
  }
});

it('C9 a HEAD that leads to no branch is mended where a dead process has left its lock', async () => {
  const { path, maintain } = await setUp();
  await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/gone');
  await writeFile(join(path, 'HEAD.lock'), 'ref: refs/heads/other\n');
  await maintain('kept');
  expect(await git(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  expect(await readdir(path)).not.toContain('HEAD.lock');
});

it('unreachable objects stay for a while after they were found, and go then', async () => {
  const { path, lost, maintain, has, packs } = await setUp();
  expect(await maintain('aged')).toBe(false);
  expect(await packs('.mtimes')).toHaveLength(1);
  expect(await maintain('aged')).toBe(false);
  expect(await maintain('kept')).toBe(false);
  expect(await has(lost)).toBe(true);
  for (const name of await packs('.mtimes')) await utimes(join(path, 'objects/pack', name), 1, 1);
  expect(await maintain('aged')).toBe(true);
  expect(await has(lost)).toBe(false);
  expect(await packs('.mtimes')).toEqual([]);
});

it('objects that were unreachable for long stay when a reference leads to them again', async () => {
  const { path, lost, maintain, has, packs } = await setUp();
  await maintain('aged');
  for (const name of await packs('.mtimes')) await utimes(join(path, 'objects/pack', name), 1, 1);
  await git(path, 'update-ref', 'refs/heads/found', lost);
  expect(await maintain('aged')).toBe(false);
  expect(await has(lost)).toBe(true);
});

it('unreachable objects are removed at once, from packs that are to be kept, too', async () => {
  const { path, lost, maintain, has, packs } = await setUp();
  await git(path, 'repack', '-a', '-d', '-k', '-q');
  for (const name of await packs('.pack'))
    await writeFile(join(path, 'objects/pack', name.replace('.pack', '.keep')), '');
  expect(await maintain('removed')).toBe(true);
  expect(await has(lost)).toBe(false);
  expect(await packs('.keep')).toEqual([]);
  await git(path, 'commit-graph', 'verify');
});

it('nothing is removed that a reference has come to meanwhile', async () => {
  const { directory, path, lost, has } = await setUp();
  const staging = join(directory, 'staging');
  const files = await steps.pack(path, { staging, unreachable: 'removed', keptMs: 0 }, neverAborted);
  expect(await files?.settle()).toBe(true);
  await git(path, 'update-ref', 'refs/heads/back', lost);
  expect(await files?.isCurrent()).toBe(false);
  expect(await files?.settle()).toBe(false);
  expect(await has(lost)).toBe(true);
});

it('what is pushed meanwhile stays, and the files fit all the same', async () => {
  const { directory, path, has } = await setUp();
  const staging = join(directory, 'staging');
  const files = await steps.pack(path, { staging, unreachable: 'removed', keptMs: 0 }, neverAborted);
  const pushed = await git(path, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', 'meanwhile');
  await git(path, 'update-ref', 'refs/heads/main', pushed);
  expect([await files?.isCurrent(), await files?.settle(), await files?.isCurrent()]).toEqual([false, true, true]);
  await files?.add();
  while (!(await files?.removeReplaced()));
  expect(await has(pushed)).toBe(true);
  await git(path, 'fsck', '--strict', '--full');
});

it('an empty repository needs nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-maintenance-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await git(directory, 'init', '-q', '--bare', 'bare');
  const path = join(directory, 'bare');
  const packing = { staging: join(directory, 'staging'), unreachable: 'kept', keptMs: 0 } as const;
  expect(await steps.pack(path, packing, neverAborted)).toBeNull();
  while (!(await steps.tidy(path)));
});

it('C6 references are packed beside what a process has left that was packing them', async () => {
  const { path } = await setUp();
  await writeFile(join(path, 'packed-refs.new'), 'x');
  while (!(await steps.tidy(path)));
  expect((await readdir(path)).filter((name) => name.startsWith('packed-refs'))).toEqual(['packed-refs']);
});
