import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeOfOperation } from '../../process/call-scope.ts';
import { pushEnvironment } from '../../process/child-environment.ts';
import { limitsByWork } from '../../process/command-limits.ts';
import type { NameChange } from '../../push.ts';
import { feedGit } from '../../testing/feed-git.ts';
import { deltaBomb, hugeTree } from '../../testing/hostile-git.ts';
import { plantGit, type PlantedTree } from '../../testing/plant-git.ts';
import { commitGit, git, gitCommand, run } from '../../testing/tools.ts';
import { openWorkbench, type Workbench } from '../../testing/workbench.ts';
import { createGitCommands } from '../git-commands.ts';
import { createGitPushSteps } from './git-push-steps.ts';
import { PktReader } from './pkt-line.ts';
import { createReceivePack } from './receive-pack.ts';

const mebibyte = 1 << 20;
const limits = limitsByWork({ memoryBytes: 400 * mebibyte, importBytesMax: 2 ** 30, fetchTimeoutMs: 60_000 });
const receivePack = createReceivePack({ gitCommand, limits, timeoutMs: 60_000, bytesMax: 100 * mebibyte });
const commands = createGitCommands({
  gitCommand,
  env: pushEnvironment(),
  timeoutMs: 30_000,
  stdoutBytesMax: 1 << 24,
  limits: limits.oneShot,
  scope: scopeOfOperation,
});
const steps = createGitPushSteps(commands);
const { signal } = new AbortController();
const scope = { ...scopeOfOperation, signal };
const unknown = { before: null, scope };

let bench: Workbench;
let work = '';
let base = '';
beforeAll(async () => {
  bench = await openWorkbench();
  work = bench.freshPath();
  await run('git', ['init', '-q', '-b', 'main', work]);
  base = await commitGit(work, { a: 'a' });
});
afterAll(() => bench.close());

/** Makes a repository with the first commit on `main`. */
async function repository(): Promise<string> {
  const path = bench.freshPath();
  await bench.backends.git.init(path, 'uuid');
  await git(work, 'push', '-q', path, `${base}:refs/heads/main`);
  await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  return path;
}

/** Returns a pack of what these revisions reach; those that begin with `^` are left out. */
async function packOf(path: string, ...revisions: readonly string[]): Promise<Buffer> {
  const child = spawn('git', ['pack-objects', '--revs', '--thin', '--stdout', '-q'], { cwd: path });
  child.stdin.end(`${revisions.join('\n')}\n`);
  return buffer(child.stdout);
}

const pushOf = (changes: readonly NameChange[], directory = '') => ({ directory, changes });
const requireHeld = async () => {};
const mayReach = async () => true;
const to = (name: string, id: string | null, from: string | null = null): NameChange => ({ name, from, to: id });

async function receive(path: string, changes: readonly NameChange[], pack: Buffer): Promise<string> {
  const directory = bench.freshPath();
  await mkdir(directory);
  const source = async function* () {
    yield pack;
  };
  const reader = new PktReader(source(), 100 * mebibyte);
  const list = { changes, capabilities: new Set<string>(), isWhole: true, options: { count: 0, bytes: 0 } };
  await receivePack.receive(path, directory, { list, reader, mayReach }, signal);
  await receivePack.check(path, { directory, changes }, scope);
  return directory;
}

const refsOf = async (path: string) => {
  const lines = (await git(path, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(' ')));
};

describe('receive', () => {
  it('F5 leaves the repository as it is, until the objects are moved and the references changed', async () => {
    const path = await repository();
    const before = await readdir(path, { recursive: true });
    const next = await commitGit(work, { a: 'next' });
    const changes = [to('refs/heads/main', next, base), to('refs/tags/t', next)];
    const directory = await receive(path, changes, await packOf(work, next, `^${base}`));
    expect(await readdir(path, { recursive: true })).toEqual(before);
    await steps.prepare(path, pushOf(changes));
    await steps.moveObjects(path, pushOf(changes, directory));
    expect(await refsOf(path)).toEqual({ 'refs/heads/main': base });
    await steps.changeNames(path, pushOf(changes), requireHeld);
    await steps.finish(path, pushOf(changes));
    expect(await refsOf(path)).toEqual({ 'refs/heads/main': next, 'refs/tags/t': next });
    await git(path, 'fsck', '--strict', '--full');
  });

  it('D8 refuses a reference whose history is not complete, beside one whose history is', async () => {
    const path = await repository();
    const lacking = await commitGit(work, { a: 'lacking' });
    const tip = await commitGit(work, { a: 'tip' });
    const pack = await packOf(work, tip, `^${lacking}`);
    const changes = [to('refs/heads/good', base), to('refs/heads/bad', tip)];
    await expect(receive(path, changes, pack)).rejects.toThrow('the push lacks objects');
    // With the missing commit alone, all that the pack names exists, but not what leads from there.
    const content = await git(work, 'cat-file', 'commit', lacking);
    expect(await feedGit(path, ['hash-object', '-w', '--stdin', '-t', 'commit'], `${content}\n`)).toBe(lacking);
    await expect(receive(path, changes, pack)).rejects.toThrow('the push lacks objects');
    const whole = await packOf(work, base);
    await expect(receive(path, [to('refs/heads/bad', 'f'.repeat(40))], whole)).rejects.toThrow(
      'refs/heads/bad: the push lacks objects of this reference',
    );
  });

  it('refuses a branch that names no commit', async () => {
    const path = await repository();
    const blob = await git(work, 'rev-parse', `${base}:a`);
    await expect(receive(path, [to('refs/heads/blob', blob)], await packOf(work, base))).rejects.toThrow(
      'a branch has to name a commit',
    );
  });

  it('D8 refuses a commit, and a tag of one, that is too large to be shown as the newest', async () => {
    const path = await repository();
    const head = (await git(work, 'cat-file', 'commit', base)).split('\n\n', 1)[0] ?? '';
    const large = await feedGit(
      join(work, '.git'),
      ['hash-object', '-w', '--stdin', '-t', 'commit'],
      `${head}\n\n${'x'.repeat(17 * mebibyte)}\n`,
    );
    await git(work, 'tag', '-f', '-a', '-m', 'tag', 'large', large);
    const tag = (await git(work, 'rev-parse', 'refs/tags/large')).trim();
    const pack = await packOf(work, tag);
    for (const [name, id] of [['refs/notes/x', large] as const, ['refs/tags/large', tag] as const]) {
      await expect(receive(path, [to(name, id)], pack)).rejects.toThrow(`${name}: its commit has more than 16 MB`);
    }
  });

  it.each<[string, PlantedTree]>([
    ['a `.git`', [['.git', { file: 'x' }]]],
    ['a `.GIT`', [['.GIT', { tree: [['hooks', { file: 'x' }]] }]]],
    ['a `..`', [['..', { file: 'x' }]]],
    ['a name with a slash', [['a/b', { file: 'x' }]]],
    ['a `.gitmodules` that is a link', [['.gitmodules', { link: '/etc/passwd' }]]],
    [
      'one name twice',
      [
        ['a', { file: 'x' }],
        ['a', { file: 'y' }],
      ],
    ],
  ])('C4 refuses a tree with %s', async (_what, tree) => {
    const path = await repository();
    const hostile = bench.freshPath();
    await run('git', ['init', '-q', '--bare', hostile]);
    const id = await plantGit(hostile, tree);
    await expect(receive(path, [to('refs/heads/evil', id)], await packOf(hostile, id))).rejects.toThrow(
      /^the object [0-9a-f]{40} is not accepted \(\w+\): .*; rewrite them, and push again$/,
    );
    expect(await refsOf(path)).toEqual({ 'refs/heads/main': base });
  });

  it.each([
    ['a delta that makes 1 GB of 16 KB', () => deltaBomb(64)],
    ['an object with a declared size of 100 GB', () => hugeTree(1e11, 100)],
    ['a pack that ends early', () => Buffer.from('PACK\0\0\0\u0002\0\0\0\u0001')],
    ['no pack', () => Buffer.alloc(0)],
    ['a text', () => Buffer.from('x'.repeat(100))],
  ])('F10 D8 refuses %s', async (_what, pack) => {
    const path = await repository();
    await expect(receive(path, [to('refs/heads/evil', base)], pack())).rejects.toThrow(
      /^(?:the pack is damaged or incomplete|an object of the push is too large)$/,
    );
  });
});

it('A4 of two pushes that came at once, the one with which there would be too many references is refused', async () => {
  const path = await repository();
  const references = Array.from({ length: 49_998 }, (_, at) => `${base} refs/other/${at}\n`);
  await writeFile(join(path, 'packed-refs'), references.join(''));
  const [one, other] = [[to('refs/heads/one', base)], [to('refs/heads/other', base)]];
  const pack = await packOf(work, base);
  const directories = [await receive(path, one, pack), await receive(path, other, pack)];
  await steps.prepare(path, pushOf(one));
  await steps.changeNames(path, pushOf(one), requireHeld);
  const text = 'a repository may have 50000 references at most';
  await expect(steps.prepare(path, pushOf(other))).rejects.toThrow(text);
  await expect(receivePack.predict(path, pushOf(other, directories[1]), unknown)).rejects.toThrow(text);
  await expect(receive(path, other, pack)).rejects.toThrow(text);
  const next = await commitGit(work, { a: 'beside many' });
  await steps.prepare(path, pushOf([to('refs/heads/one', next, base)]));
  await steps.prepare(path, pushOf([to('refs/heads/one', null, base)]));
});

describe('the steps', () => {
  it('refuse references that have changed, and leave all as they are', async () => {
    const path = await repository();
    const changes = [to('refs/heads/main', null, 'e'.repeat(40)), to('refs/heads/other', base)];
    await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/none');
    await expect(steps.prepare(path, pushOf(changes))).rejects.toMatchObject({
      reasons: new Map([['refs/heads/main', 'the reference has changed meanwhile, fetch first']]),
    });
    await expect(steps.changeNames(path, pushOf(changes), requireHeld)).rejects.toThrow(
      'git cannot change the references so',
    );
    expect(await refsOf(path)).toEqual({ 'refs/heads/main': base });
    const nested = [to('refs/heads/main/below', base)];
    await expect(steps.changeNames(path, pushOf(nested), requireHeld)).rejects.toThrow(
      'refs/heads/main/below cannot be created, since refs/heads/main exists',
    );
  });

  it('C6 settle a push that was interrupted: nothing, or all of it', async () => {
    const path = await repository();
    const changes = [to('refs/heads/a', base), to('refs/heads/b', base), to('refs/heads/main', null, base)];
    await writeFile(join(path, 'refs/heads/a.lock'), base);
    expect(await steps.settle(path, pushOf(changes))).toBe(false);
    expect(existsSync(join(path, 'refs/heads/a.lock'))).toBe(false);
    expect(await refsOf(path)).toEqual({ 'refs/heads/main': base });
    await git(path, 'update-ref', 'refs/heads/b', base);
    await writeFile(join(path, 'refs/heads/a.lock'), base);
    expect(await steps.settle(path, pushOf(changes))).toBe(true);
    expect(await refsOf(path)).toEqual({ 'refs/heads/a': base, 'refs/heads/b': base });
    expect(await steps.settle(path, pushOf(changes))).toBe(true);
  });

  it('choose the default branch once it is missing', async () => {
    const path = await repository();
    const headOf = () => git(path, 'symbolic-ref', 'HEAD');
    for (const name of ['x', 'y', 'master', 'trunk']) await git(path, 'update-ref', `refs/heads/${name}`, base);
    const later = ['-p', base, '-m', 'the newest of all', `${base}^{tree}`];
    await git(path, 'update-ref', 'refs/heads/z', await git(path, 'commit-tree', ...later));
    await steps.finish(path, pushOf([to('refs/heads/x', base)]));
    expect(await headOf()).toBe('refs/heads/main');
    await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/none');
    await steps.finish(path, pushOf([to('refs/tags/t', base)]));
    expect(await headOf()).toBe('refs/heads/none');
    const finish = () => steps.finish(path, pushOf([to('refs/heads/x', base), to('refs/heads/y', base)]));
    const chosen: string[] = [];
    for (const gone of ['main', 'master', 'trunk', 'z']) {
      await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/none');
      await finish();
      chosen.push(await headOf());
      await git(path, 'update-ref', '-d', `refs/heads/${gone}`);
    }
    expect(chosen).toEqual(['main', 'master', 'trunk', 'z'].map((name) => `refs/heads/${name}`));
    await git(path, 'update-ref', '--no-deref', 'HEAD', base);
    await finish();
    expect(await headOf()).toBe('refs/heads/x');
  });

  it('leave directories of other servers in which pushes arrived to the repair', async () => {
    const path = await repository();
    const left = join(path, 'objects/tmp_objdir-incoming-abc/pack');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, 'pack-x.pack'), 'x');
    expect(bench.backends.git.isTransient('objects/tmp_objdir-incoming-abc/pack/pack-x.pack')).toBe(true);
    await bench.backends.git.recover(path);
    expect(existsSync(join(path, 'objects/tmp_objdir-incoming-abc'))).toBe(false);
  });
});

it('changes a symbolic reference itself, not the branch that it names', async () => {
  const path = await repository();
  await git(path, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  await steps.changeNames(path, pushOf([to('refs/heads/alias', null, base)]), requireHeld);
  expect(await refsOf(path)).toEqual({ 'refs/heads/main': base });
});
