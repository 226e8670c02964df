import { mkdir, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogQuery, VcsBackend } from '../backend.ts';
import { plantHg, plantHgTexts } from '../testing/plant-hg.ts';
import { commitHg, hg, writeFiles } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let backend: VcsBackend;
let path = '';
const ids: string[] = [];
const at = (number: number) => ids[number] ?? '';
const dayMs = 86_400_000;

async function fresh(): Promise<string> {
  const repository = bench.freshPath();
  await mkdir(repository);
  await hg(repository, 'init', '.');
  return repository;
}

/** Commits 0 (default), its children 1 (side) and 2 (default), 3 (merges 2 into 1), 4 (closes side); n on day n. */
async function makeHistory(): Promise<void> {
  const commit = async (message: string, ...options: string[]) => {
    const user = 'Ann <ann@example.com>';
    await hg(path, 'commit', '-A', '-q', '-u', user, '-m', message, '-d', `${ids.length * 86_400} 0`, ...options);
    ids.push(await hg(path, 'log', '-r', '.', '-T', '{node}'));
  };
  await writeFiles(path, { a: '1', b: '1' });
  await commit('one\n\n"x" \\ {rev} \u{1f480}');
  await hg(path, 'branch', '-q', 'sidé"');
  await writeFile(Buffer.concat([Buffer.from(`${path}/c`), Buffer.from([0xe2, 0x82, 0x2e, 0xff])]), '');
  await writeFiles(path, { a: '2' });
  await hg(path, 'rename', '-q', 'b', 'd/b');
  await commit('two');
  await hg(path, 'update', '-q', at(0));
  await writeFiles(path, { e: '1' });
  await commit('three');
  await hg(path, 'update', '-q', at(1));
  await hg(path, 'merge', '-q', at(2));
  await commit('merge');
  await commit('close', '--close-branch');
}

beforeAll(async () => {
  bench = await openWorkbench();
  backend = bench.backends.hg;
  path = await fresh();
  await makeHistory();
});
afterAll(() => bench.close());

async function numbers(query: Omit<LogQuery, 'withFiles'>): Promise<number[]> {
  return (await backend.log(path, { ...query, withFiles: false })).map(({ revision }) => revision);
}

describe('log', () => {
  it('returns parents, branch and, when asked, the files against the first parent', async () => {
    const [first, second, third, merge, closed, ...rest] = await backend.log(path, { withFiles: true });
    expect(rest).toEqual([]);
    expect(first).toEqual({
      rawId: at(0),
      revision: 0,
      author: 'Ann <ann@example.com>',
      date: new Date(0),
      message: 'one\n\n"x" \\ {rev} \u{1f480}',
      parents: [],
      branch: 'default',
      files: { added: ['a', 'b'], changed: [], removed: [] },
    });
    expect(second).toMatchObject({
      parents: [at(0)],
      branch: 'sidé"',
      files: { added: ['c\ufffdE2\ufffd82.\ufffdFF', 'd/b'], changed: ['a'], removed: ['b'] },
    });
    expect(third).toMatchObject({ parents: [at(0)], branch: 'default' });
    expect(merge).toMatchObject({
      parents: [at(1), at(2)],
      files: { added: ['e'], changed: [], removed: [] },
    });
    expect(closed).toMatchObject({ parents: [at(3)], files: { added: [], changed: [], removed: [] } });
    expect((await backend.log(path, { withFiles: false })).map(({ files }) => files)).toEqual(ids.map(() => null));
  });

  it('selects changesets by range, date, branch, limit and cursor', async () => {
    const day = (number: number) => new Date(number * dayMs);
    expect(await numbers({})).toEqual([0, 1, 2, 3, 4]);
    expect(await numbers({ reverse: true })).toEqual([4, 3, 2, 1, 0]);
    expect(await numbers({ from: at(1), to: at(3) })).toEqual([1, 2, 3]);
    expect(await numbers({ from: at(3), to: at(1) })).toEqual([]);
    expect(await numbers({ since: day(1), until: day(3) })).toEqual([1, 2, 3]);
    expect(await numbers({ since: new Date(dayMs + 1), until: new Date(3 * dayMs - 1) })).toEqual([2]);
    expect(await numbers({ since: new Date(-9e14), until: new Date(9e14) })).toEqual([0, 1, 2, 3, 4]);
    expect(await numbers({ branch: 'sidé"', reverse: true })).toEqual([4, 3, 1]);
    expect(await numbers({ limit: 2, after: at(1) })).toEqual([2, 3]);
    expect(await numbers({ limit: 2, after: at(3), reverse: true })).toEqual([2, 1]);
    expect(await numbers({ after: at(4) })).toEqual([]);
    expect(await numbers({ from: at(1), branch: 'default', since: day(0), limit: 1 })).toEqual([2]);
  });

  it.each(['nix', 'literal:default', 're:.*', 'default" or all() or "', 'é', '-R', 'e'.repeat(200)])(
    'D1 D3 refuses %j, which is no branch',
    async (branch) => {
      await expect(numbers({ branch })).rejects.toMatchObject({ kind: 'unknown-revision' });
      expect(await numbers({ branch: 'default' })).toEqual([0, 2]);
    },
  );

  it('is empty for an empty repository', async () => {
    const empty = await fresh();
    expect(await backend.log(empty, { withFiles: true })).toEqual([]);
  });

  it('refuses an answer larger than the limit', async () => {
    const long = await fresh();
    await writeFile(`${long}/message`, 'x'.repeat(9_000_000));
    for (const content of ['1', '2', '3', '4']) {
      await writeFiles(long, { a: content });
      await hg(long, 'commit', '-A', '-q', '-u', 'Ann', '-l', `${long}/message`);
    }
    await expect(backend.log(long, { withFiles: false })).rejects.toMatchObject({ kind: 'too-large' });
    expect(await backend.log(long, { withFiles: false, limit: 1 })).toHaveLength(1);
  });
});

describe('changeset', () => {
  it('returns the same entry as the log', async () => {
    const entries = await backend.log(path, { withFiles: true });
    const alone = await Promise.all(ids.map((id) => backend.changeset(path, id, { withFiles: true })));
    expect(alone).toEqual(entries);
    expect(await backend.changeset(path, at(3), { withFiles: false })).toMatchObject({ revision: 3, files: null });
  });
});

describe('texts that are stored in another encoding than UTF-8', () => {
  it.each([
    ['Zo\xeb <z@example.com>', 'd\xe9j\xe0 vu', 'Zoë <z@example.com>', 'déjà vu'],
    ['Ann', ' \x93q\x94 \xc3\xa9\n\nbody\n', 'Ann', '“q” Ã©\n\nbody'],
    [
      'Zo\xc3\xab',
      '\x93\xfa\x96{\x8c\xea\x83t\x83@\x83C\x83\x8b\x96\xbc\x82\xf0\x92\xc7\x89\xc1',
      'Zoë',
      '日本語ファイル名を追加',
    ],
    ['Ann', '\xf0\x9f\x92\x80', 'Ann', '\u{1f480}'],
  ])('are decoded: %j, %j', async (author, message, readAuthor, readMessage) => {
    const repository = await fresh();
    const rawId = await plantHgTexts(repository, Buffer.from(author, 'latin1'), Buffer.from(message, 'latin1'));
    const read = { rawId, author: readAuthor, message: readMessage };
    expect(await backend.tip(repository)).toMatchObject(read);
    expect(await backend.changeset(repository, rawId, { withFiles: true })).toMatchObject(read);
  });
});

describe('refs', () => {
  it('lists bookmarks, open and closed branches and tags', async () => {
    const named = await fresh();
    const first = await commitHg(named, { a: '1' });
    await hg(named, 'tag', '-u', 'Ann', '-r', first, 'v1/é', '123456789012x');
    await hg(named, 'tag', '-u', 'Ann', '-r', first, 'gone');
    await hg(named, 'tag', '-u', 'Ann', '--remove', 'gone');
    await hg(named, 'branch', '-q', 'done');
    const done = await commitHg(named, { a: '2' });
    await hg(named, 'commit', '--close-branch', '-m', 'x', '-u', 'Ann');
    const closed = await hg(named, 'log', '-r', '.', '-T', '{node}');
    await hg(named, 'update', '-q', 'default');
    await hg(named, 'branch', '-q', 'a b');
    const open = await commitHg(named, { a: '3' });
    for (const name of ['mark', '__proto__', '{node}']) await hg(named, 'bookmark', '-r', done, name);
    expect(await backend.refs(named)).toEqual({
      bookmarks: new Map([
        ['__proto__', done],
        ['mark', done],
        ['{node}', done],
      ]),
      branches: new Map([
        ['a b', open],
        ['default', await hg(named, 'log', '-r', 'default', '-T', '{node}')],
      ]),
      closedBranches: new Map([['done', closed]]),
      tags: new Map([
        ['v1/é', first],
        ['123456789012x', first],
      ]),
    });
  });

  it('D1 a branch whose name holds a line feed does not stand for another one', async () => {
    const path = await fresh();
    const stable = await plantHg(path, [['a', { file: '1' }]], 'stable');
    const evil = await plantHg(path, [['a', { file: '2' }]], 'evil\nstable');
    expect((await backend.refs(path)).branches).toEqual(
      new Map([
        ['stable', stable],
        ['evil\nstable', evil],
      ]),
    );
  });

  it('has no names for an empty repository', async () => {
    const { bookmarks, branches, closedBranches, tags } = await backend.refs(await fresh());
    expect([bookmarks, branches, closedBranches, tags].map(({ size }) => size)).toEqual([0, 0, 0, 0]);
  });
});
