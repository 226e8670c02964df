import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LastChanges } from './last-changes.ts';
import * as oddGit from './testing/odd-git.ts';
import * as oddHg from './testing/odd-hg.ts';
import { fastImport } from './testing/feed-git.ts';
import { git, hg, writeFiles } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';

const types = ['git', 'hg'] as const;
type Type = (typeof types)[number];

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

/** A work tree of which each commit takes all changes, and the repository that the back end reads. */
interface Work {
  readonly directory: string;
  readonly path: string;
  commit(message: string): Promise<string>;
  /** Begins to merge another head. */
  merge(other: string): Promise<unknown>;
  goTo(rawId: string): Promise<unknown>;
}

const makeWork = {
  async git(): Promise<Work> {
    const directory = bench.freshPath();
    await mkdir(directory);
    await git(directory, 'init', '-q', '-b', 'main', '.');
    return {
      directory,
      path: join(directory, '.git'),
      async commit(message) {
        await git(directory, 'add', '-A');
        await git(directory, 'commit', '-q', '--allow-empty', '-m', message);
        return git(directory, 'rev-parse', 'HEAD');
      },
      merge: (other) => git(directory, 'merge', '-q', '--no-commit', '--no-ff', '-X', 'ours', other),
      goTo: (rawId) => git(directory, 'checkout', '-q', rawId),
    };
  },
  async hg(): Promise<Work> {
    const directory = await oddHg.freshHg(bench.freshPath());
    return {
      directory,
      path: directory,
      commit: (message) => oddHg.commitAll(directory, message),
      merge: (other) => hg(directory, 'merge', '-q', '--tool=:local', '-r', other),
      goTo: (rawId) => hg(directory, 'update', '-q', '-r', rawId),
    };
  },
};

const said = ({ entries }: LastChanges) =>
  Object.fromEntries([...entries].map(([name, { message }]) => [name, message]));

describe.each(types)('the last changes in %s', (type) => {
  const read = (path: string, rawId: string, directory = '') =>
    bench.backends[type].lastChanges(path, rawId, directory);

  it('are the newest changesets that changed an entry or what is below it', async () => {
    const work = await makeWork[type]();
    const { directory, path, commit } = work;
    const below = (name: string) => join(directory, name);
    await writeFiles(directory, { a: '1', b: '1', gone: '1', old: '1', 'dir/x': '1', 'dir/deep/y': '1', 'dir/z': '1' });
    const first = await commit('the first\n\nand more of it');
    await writeFiles(directory, { a: '2' });
    await commit('change a');
    await rm(below('gone'));
    await commit('remove gone');
    await writeFiles(directory, { gone: '1', 'dir/deep/y': '2' });
    const again = await commit('add gone again');
    await rename(below('old'), below('new'));
    await commit('rename old');
    await rm(below('dir/z'));
    const last = await commit('remove dir/z');
    const changes = await read(path, last);
    expect(said(changes)).toEqual({
      a: 'change a',
      b: 'the first',
      dir: 'remove dir/z',
      gone: 'add gone again',
      new: 'rename old',
    });
    expect(changes.newest).toEqual(changes.entries.get('dir'));
    expect(changes.newest).toMatchObject({ rawId: last, author: 'Ann <ann@example.com>' });
    expect(changes.newest?.date).toBeInstanceOf(Date);
    const inside = await read(path, last, 'dir');
    expect(said(inside)).toEqual({ deep: 'add gone again', x: 'the first' });
    expect(inside.newest?.message).toBe('remove dir/z');
    expect(said(await read(path, again, 'dir'))).toEqual({ deep: 'add gone again', x: 'the first', z: 'the first' });
    expect(said(await read(path, first))).toEqual(
      Object.fromEntries(['a', 'b', 'dir', 'gone', 'old'].map((name) => [name, 'the first'])),
    );
  });

  it('are those of both sides of a merge, and the merge where it alone changed an entry', async () => {
    const work = await makeWork[type]();
    const { directory, path, commit } = work;
    await writeFiles(directory, { a: '1\n', b: '1\n', both: '1\n', 'dir/x': '1\n' });
    const first = await commit('the first');
    await writeFiles(directory, { b: '2\n', 'dir/x': '2\n' });
    const side = await commit('change b and dir on the side');
    await work.goTo(first);
    await writeFiles(directory, { a: '2\n' });
    await commit('change a');
    await work.merge(side);
    await writeFiles(directory, { own: '1\n' });
    const merge = await commit('merge');
    expect(said(await read(path, merge))).toEqual({
      a: 'change a',
      b: 'change b and dir on the side',
      both: 'the first',
      dir: 'change b and dir on the side',
      own: 'merge',
    });
    expect(said(await read(path, side))).not.toHaveProperty('own');
  });

  it('are found in three thousand entries', async () => {
    const work = await makeWork[type]();
    const names = Array.from({ length: 3_000 }, (_, number) => `many/${number}`);
    await writeFiles(work.directory, Object.fromEntries(names.map((name) => [name, '1'])));
    await work.commit('the first');
    await writeFiles(work.directory, { 'many/7': '2' });
    const { entries } = await read(work.path, await work.commit('change 7'), 'many');
    expect(entries.size).toBe(3_000);
    expect([entries.get('7')?.message, entries.get('2999')?.message]).toEqual(['change 7', 'the first']);
  });

  it('are none where there are no files', async () => {
    const work = await makeWork[type]();
    await writeFiles(work.directory, { a: '1' });
    await work.commit('the first');
    await rm(join(work.directory, 'a'));
    const { entries } = await read(work.path, await work.commit('remove all'));
    expect(entries.size).toBe(0);
  });

  const names: Record<Type, readonly string[]> = { git: oddGit.oddNames, hg: oddHg.oddNames };
  it.each([...names[type], 'caf\ufffdE9', 'tab\t'])('D5 are found below %j', async (name) => {
    const work = await makeWork[type]();
    const at = Buffer.from(
      join(work.directory, name).replaceAll('\ufffdE9', '\u00e9'),
      name.includes('\ufffd') ? 'latin1' : 'utf8',
    );
    await mkdir(at, { recursive: true });
    await writeFile(Buffer.concat([at, Buffer.from('/x')]), '1');
    await writeFiles(work.directory, { 'other/x': '1' });
    await work.commit('the first');
    await writeFile(Buffer.concat([at, Buffer.from('/y')]), '1');
    const rawId = await work.commit('add y');
    expect(said(await read(work.path, rawId, name))).toEqual({ x: 'the first', y: 'add y' });
    expect((await read(work.path, rawId)).entries.get(name)?.message).toBe('add y');
  });

  it('have the first line of a message, which is cut', async () => {
    const work = await makeWork[type]();
    await writeFiles(work.directory, { a: '1' });
    const rawId = await work.commit(`${'x'.repeat(9_000)}\nmore`);
    expect((await read(work.path, rawId)).newest?.message).toBe('x'.repeat(500));
  });
});

describe('the last changes in git', () => {
  it('leave out what a merge left out, though it is newer, and find submodules and modes', async () => {
    const path = bench.freshPath();
    await bench.backends.git.init(path, 'uuid');
    const { commit, file } = oddGit;
    const ours = [file('both', 'ours'), file('tool', '1', '100755'), `M 160000 ${'1'.repeat(40)} sub\n`];
    const history = [
      commit({ mark: 1, parents: [], message: 'the first' }, [file('both', '1'), file('tool', '1')]),
      commit({ mark: 2, parents: [1], message: 'our version' }, ours),
      commit({ mark: 3, parents: [1], message: 'their version' }, [file('both', 'theirs')]),
      commit({ mark: 4, parents: [2, 3], message: 'merge' }, [file('both', 'ours')]),
    ];
    await fastImport(path, history.join(''));
    const rawId = await git(path, 'rev-parse', 'main');
    expect(said(await bench.backends.git.lastChanges(path, rawId, ''))).toEqual({
      both: 'our version',
      sub: 'our version',
      tool: 'our version',
    });
  });

  it('D5 are found below a name with a line feed', async () => {
    const path = bench.freshPath();
    await bench.backends.git.init(path, 'uuid');
    const change = ['M 100644 inline "line\\012feed/x"\ndata 1\nx\n'];
    await fastImport(path, oddGit.commit({ mark: 1, parents: [] }, change));
    const rawId = await git(path, 'rev-parse', 'main');
    expect(said(await bench.backends.git.lastChanges(path, rawId, 'line\nfeed'))).toEqual({ x: 'x' });
  });
});

it('D8 a kept server of Mercurial looks for them until its time is up', async () => {
  const { directory, path, commit } = await makeWork.hg();
  for (const number of [1, 2, 3]) {
    await writeFiles(directory, { [`file ${number}`]: '1' });
    await commit(`add ${number}`);
  }
  const extension = new URL('../../mercurial/trunkline_last_changes.py', import.meta.url);
  const loaded = `--config=extensions.last_changes=${fileURLToPath(extension)}`;
  const find = (ms: number) => hg(path, loaded, 'trunkline-last-changes', '--rev=tip', `--milliseconds=${ms}`);
  expect(await find(60_000)).toContain('add 1');
  await expect(find(-1)).rejects.toMatchObject({ code: 1 });
});
