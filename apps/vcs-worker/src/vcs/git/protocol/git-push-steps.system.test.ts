import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scopeOfOperation } from '../../process/call-scope.ts';
import { pushEnvironment } from '../../process/child-environment.ts';
import { limitsByWork } from '../../process/command-limits.ts';
import { PushRefusedError, type NameChange } from '../../push.ts';
import { syncsDuring } from '../../testing/watched-files.ts';
import { commitGit, git, gitCommand, run } from '../../testing/tools.ts';
import { traceGit } from '../../testing/traced-git.ts';
import { neverAborted, openWorkbench, type Workbench } from '../../testing/workbench.ts';
import { createGitCommands } from '../git-commands.ts';
import { createGitPushSteps } from './git-push-steps.ts';
import { PktReader } from './pkt-line.ts';
import { createReceivePack } from './receive-pack.ts';

const limits = limitsByWork({ memoryBytes: 2 ** 30, importBytesMax: 2 ** 30, fetchTimeoutMs: 60_000 });
const common = { gitCommand, timeoutMs: 60_000, limits: limits.oneShot, stdoutBytesMax: 1 << 24 };
const receivePack = createReceivePack({ ...common, limits, bytesMax: 1e8 });
const stepsOf = (command: readonly string[]) => {
  const options = { ...common, gitCommand: command, env: pushEnvironment(), scope: scopeOfOperation };
  return createGitPushSteps(createGitCommands(options));
};
const steps = stepsOf(gitCommand);
const requireHeld = async () => {};

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

const create = (name: string, to: string): NameChange => ({ name, from: null, to });

/** Makes a repository with the first commit on `main` and these other branches, all packed. */
async function repository(...branches: readonly string[]): Promise<string> {
  const path = bench.freshPath();
  await bench.backends.git.init(path, 'uuid');
  const names = ['main', ...branches].map((branch) => `${base}:refs/heads/${branch}`);
  await git(work, 'push', '-q', path, ...names);
  await git(path, 'pack-refs', '--all');
  await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  return path;
}

/** Receives a new commit with these changes, beside what another one has. */
async function receive(
  path: string,
  changesTo: (next: string) => readonly NameChange[],
  { known = base, mayReach = async (_bytes: number) => true } = {},
) {
  const directory = bench.freshPath();
  await mkdir(directory);
  const next = await commitGit(work, { a: directory });
  const changes = changesTo(next);
  const child = spawn('git', ['pack-objects', '--revs', '--thin', '--stdout', '-q'], { cwd: work });
  child.stdin.end(`${next}\n^${known}\n`);
  const pack = await buffer(child.stdout);
  const pieces = async function* () {
    yield pack;
  };
  const reader = new PktReader(pieces(), 1e8);
  const arriving = {
    list: { changes, capabilities: new Set<string>(), isWhole: true, options: { count: 0, bytes: 0 } },
    reader,
    mayReach,
  };
  await receivePack.receive(path, directory, arriving, neverAborted);
  await receivePack.check(path, { directory, changes }, scopeOfOperation);
  return { directory, changes };
}

it('what a push has brought is synced: packs, references, and their directories', async () => {
  const path = await repository();
  const scripts = bench.freshPath();
  await mkdir(scripts);
  const traced = await traceGit(scripts);
  const tracedSteps = stepsOf(traced.command);
  const push = await receive(path, (next) => [
    { name: 'refs/heads/main', from: base, to: next },
    create('refs/heads/side/way', next),
  ]);
  const synced = await syncsDuring(async () => {
    await tracedSteps.moveObjects(path, push);
    await tracedSteps.changeNames(path, push, requireHeld);
    await tracedSteps.finish(path, push);
  });
  const directories = ['objects/pack', 'refs/heads', 'refs/heads/side', 'refs', '.'];
  expect([...synced]).toEqual(expect.arrayContaining(directories.map((one) => join(path, one))));
  expect(await traced.syncsOf('update-ref')).toBeGreaterThanOrEqual(push.changes.length);
});

it.each<[string, string, readonly string[]]>([
  ['refs/heads/main/below', 'refs/heads/main', []],
  ['refs/heads/dir', 'refs/heads/dir/x', ['dir/x', 'dir/y']],
])('D8 %s beside %s is refused as git does, before an object is moved', async (created, existing, branches) => {
  const path = await repository(...branches);
  const push = await receive(path, (next) => [create(created, next)]);
  const text = `${created} cannot be created, since ${existing} exists`;
  // What is not predicted is prepared.
  expect(await receivePack.predict(path, push, { before: null, scope: scopeOfOperation })).toBeNull();
  await expect(steps.prepare(path, push)).rejects.toThrow(text);
  await expect(steps.changeNames(path, push, requireHeld)).rejects.toThrow(text);
});

it('C8 a push for which the storage has no space is refused, and nothing of it is stored', async () => {
  const path = await repository();
  const asked: number[] = [];
  const mayReach = async (bytes: number) => asked.push(bytes) === 0;
  const made = receive(path, (next) => [{ name: 'refs/heads/main', from: base, to: next }], { mayReach });
  await expect(made).rejects.toThrow(new PushRefusedError('the storage is full'));
  expect(asked).toHaveLength(1);
});

it('D8 references of one push that cannot be there together are refused as git does', async () => {
  const path = await repository();
  const push = await receive(path, (next) => [create('refs/heads/x', next), create('refs/heads/x/y', next)]);
  const text = 'git cannot change the references so';
  await expect(steps.prepare(path, push)).rejects.toThrow(text);
  await expect(steps.changeNames(path, push, requireHeld)).rejects.toThrow(text);
});

it.each(['packed-refs.new', 'refs/heads/side.lock'])(
  'C6 a stale %s is removed, which would keep references from being changed',
  async (stale) => {
    const path = await repository('side');
    await writeFile(join(path, stale), 'x');
    const changes = [{ name: 'refs/heads/side', from: base, to: null }];
    await steps.changeNames(path, { directory: '', changes }, requireHeld);
    expect(await git(path, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(existsSync(join(path, stale))).toBe(false);
  },
);

it('C6 what an interrupted change of references has left is removed by a repair', async () => {
  const path = await repository();
  await writeFile(join(path, 'packed-refs.new'), 'x');
  await bench.backends.git.recover(path);
  expect((await readdir(path)).filter((name) => name.startsWith('packed-refs'))).toEqual(['packed-refs']);
});

it('the history that a push makes is foreseen from the commit-graph, without a look at former commits', async () => {
  const path = await repository();
  const second = await commitGit(work, { a: 'second' });
  const third = await commitGit(work, { a: 'third' });
  for (const id of [second, third]) await git(work, 'push', '-q', path, `${id}:refs/heads/main`);
  await bench.backends.git.indexHistory(path, neverAborted);
  await rm(join(path, 'objects', second.slice(0, 2), second.slice(2)));
  await expect(bench.backends.git.tip(path)).rejects.toMatchObject({ kind: 'failed' });
  const push = await receive(path, (next) => [{ name: 'refs/heads/main', from: third, to: next }], { known: third });
  const predicted = await receivePack.predict(path, push, { before: null, scope: scopeOfOperation });
  const revision = Number(await git(work, 'rev-list', '--count', third));
  expect(predicted).toMatchObject({ tip: { rawId: push.changes[0]?.to, revision }, added: 1 });
});
