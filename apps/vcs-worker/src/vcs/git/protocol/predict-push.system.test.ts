import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scopeOfOperation } from '../../process/call-scope.ts';
import { limitsByWork } from '../../process/command-limits.ts';
import type { NameChange } from '../../push.ts';
import { feedGit } from '../../testing/feed-git.ts';
import { commitGit, git, gitCommand, run } from '../../testing/tools.ts';
import { openWorkbench, type Workbench } from '../../testing/workbench.ts';
import { createReceivePack } from './receive-pack.ts';

const limits = limitsByWork({ memoryBytes: 2 ** 30, importBytesMax: 2 ** 30, fetchTimeoutMs: 60_000 });
const receivePack = createReceivePack({ gitCommand, limits, timeoutMs: 60_000, bytesMax: 1e8 });
const scope = scopeOfOperation;
const unknown = { before: null, scope };

let bench: Workbench;
let work = '';
let base = '';
/** A commit beside those of the branch `main`. */
let side = '';
beforeAll(async () => {
  bench = await openWorkbench();
  work = bench.freshPath();
  await run('git', ['init', '-q', '-b', 'main', work]);
  base = await commitGit(work, { a: 'a' });
  side = (await git(work, 'commit-tree', '-p', base, '-m', 'side', `${base}^{tree}`)).trim();
});
afterAll(() => bench.close());

const to = (name: string, id: string | null, from: string | null = null): NameChange => ({ name, from, to: id });

/** Makes a repository with two branches. */
async function repository(): Promise<string> {
  const path = bench.freshPath();
  await bench.backends.git.init(path, 'uuid');
  await git(work, 'push', '-q', path, `${base}:refs/heads/main`, `${side}:refs/heads/side`);
  return path;
}

/** Commits a file as if it were so many seconds later; returns the full id. */
async function commitLater(content: string, seconds: number): Promise<string> {
  const commit = await git(work, 'cat-file', 'commit', await commitGit(work, { a: content }));
  const dated = commit.replace(/(?<=^committer .* )\d+(?= \S+$)/m, (now) => String(Number(now) + seconds));
  return feedGit(join(work, '.git'), ['hash-object', '-w', '--stdin', '-t', 'commit'], `${dated}\n`);
}

/** Returns the directory of a push that has brought a commit. */
async function received(next: string): Promise<string> {
  const directory = bench.freshPath();
  await mkdir(join(directory, 'objects/pack'), { recursive: true });
  const args = ['pack-objects', '--revs', '-q', join(directory, 'objects/pack/pack')];
  await feedGit(join(work, '.git'), args, `${next}\n^${base}\n`);
  return directory;
}

it.each<[string, (next: string) => NameChange[], number?]>([
  ['a branch goes on', (next) => [to('refs/heads/main', next, base)]],
  ['a branch goes on with a commit that is not the newest', (next) => [to('refs/heads/main', next, base)], -1_000],
  ['a branch is created', (next) => [to('refs/heads/Ä/b', next), to('refs/heads/a', base)]],
  ['a tag is created, and the branch deleted', (next) => [to('refs/tags/t', next), to('refs/heads/main', null, base)]],
  ['nothing is left', () => [to('refs/heads/main', null, base), to('refs/heads/side', null, side)]],
  ['a branch is replaced', (next) => [to('refs/heads/side', next, side)]],
  ['a branch goes on, and a tag is created', (next) => [to('refs/heads/main', next, base), to('refs/tags/u', base)]],
  ['two branches go on', (next) => [to('refs/heads/main', next, base), to('refs/heads/side', next, side)]],
])('reads the history that there will be: %s', async (what, changesTo, seconds = 1_000) => {
  const path = await repository();
  const next = await commitLater(`next ${what}`, seconds);
  const changes = changesTo(next);
  const push = { directory: await received(next), changes };
  const predicted = await receivePack.predict(path, push, unknown);
  // By what is known of the history before, the same is found without a look at all of it.
  const tip = await bench.backends.git.tip(path);
  const before = { commits: (tip?.revision ?? -1) + 1, newestMs: tip?.date.getTime() ?? 0 };
  expect(await receivePack.predict(path, push, { before, scope })).toEqual(predicted);
  // A hidden reference brings the objects.
  await git(work, 'push', '-q', path, `${next}:refs/trunkline/x`);
  for (const { name, to: id } of changes) await git(path, 'update-ref', ...(id === null ? ['-d', name] : [name, id]));
  expect(predicted?.tip ?? null).toEqual(await bench.backends.git.tip(path));
  const added = predicted?.tip ? Number(await git(work, 'rev-list', '--count', next, `^${base}`)) : 0;
  expect(predicted?.added).toBe(added);
});

it.each<[string, NameChange]>([
  ['other references than branches and tags', to('refs/notes/own', 'next')],
  ['a reference that has changed', to('refs/heads/main', 'next', 'e'.repeat(40))],
])('does not know about %s', async (what, { name, from }) => {
  const path = await repository();
  const next = await commitGit(work, { a: what });
  const push = { directory: await received(next), changes: [to(name, next, from)] };
  expect(await receivePack.predict(path, push, unknown)).toBeNull();
  expect(await receivePack.predict(path, push, { before: { commits: 2, newestMs: 0 }, scope })).toBeNull();
});
