import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PathHistory, VcsContent } from './content.ts';
import { commitGit, commitHg, git, hg, writeFiles } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';

const commits = { git: commitGit, hg: commitHg };
const all = { skip: 0, limit: 100 };
const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

/** Names that tools could misread as an option, a pattern or an expression, one that is not UTF-8, and one of two lines. */
const oddNames = [
  '-dash',
  '--all',
  ':(top)x',
  'path:x',
  're:.*',
  'set:all()',
  'glob*[a]?',
  'all()',
  '"quo\\te"',
  ' spaced ',
  'tab\there',
  'line\nfeed',
  'caf\ufffdE9',
  'two\n\ufffdE9\r',
];

describe.each(['git', 'hg'] as const)('%s', (type) => {
  const commit = commits[type];
  const run = type === 'git' ? git : hg;
  let content: VcsContent;

  async function fresh() {
    const directory = bench.freshPath();
    await run(bench.directory, 'init', '-q', ...(type === 'git' ? ['-b', 'main'] : []), directory);
    return { directory, path: type === 'git' ? join(directory, '.git') : directory };
  }

  beforeAll(() => {
    content = bench.backends[type];
  });

  const told = ({ changes }: PathHistory) =>
    changes.map(({ rawId, path, change, formerPath }) => [rawId, path, change, formerPath]);

  describe('history', () => {
    let path = '';
    let ids: string[] = [];

    beforeAll(async () => {
      const { directory, ...made } = await fresh();
      path = made.path;
      ids = [await commit(directory, { old: lines('1', '2', '3', '4', '5', '6'), 'd/x': '1', 'd/e/y': '1' })];
      ids.push(await commit(directory, { old: lines('1', 'two', '3', '4', '5', '6') }));
      await run(directory, 'mv', 'old', 'new');
      ids.push(await commit(directory, {}));
      ids.push(await commit(directory, { new: lines('0', '1', 'two', '3', '4', '5', '6'), 'd/e/y': '2' }));
      await run(directory, 'rm', '-q', ...(type === 'git' ? ['-r', 'new', 'd'] : ['new', 'd/x', 'd/e/y']));
      ids.push(await commit(directory, { other: 'x' }));
    });

    it('of a file goes on under its former names, with what each changeset did', async () => {
      const found = await content.pathHistory(path, ids[3] ?? '', 'new', all);
      expect([found.kind, found.end]).toEqual(['file', 'end']);
      expect(told(found)).toEqual([
        [ids[3], 'new', 'changed', null],
        [ids[2], 'new', 'renamed', 'old'],
        [ids[1], 'old', 'changed', null],
        [ids[0], 'old', 'added', null],
      ]);
    });

    it('of a removed file begins with its removal', async () => {
      const found = await content.pathHistory(path, ids[4] ?? '', 'new', all);
      expect(found.kind).toBeNull();
      expect(told(found).slice(0, 3)).toEqual([
        [ids[4], 'new', 'removed', null],
        [ids[3], 'new', 'changed', null],
        [ids[2], 'new', 'renamed', 'old'],
      ]);
    });

    it('comes in pages, across a rename too', async () => {
      const whole = await content.pathHistory(path, ids[3] ?? '', 'new', all);
      const pages = await Promise.all(
        [0, 1, 2, 3].map((skip) => content.pathHistory(path, ids[3] ?? '', 'new', { skip, limit: 1 })),
      );
      expect(pages.flatMap(({ changes }) => changes)).toEqual(whole.changes);
      expect(pages.map(({ end }) => end)).toEqual(['more', 'more', 'more', 'end']);
      const behind = await content.pathHistory(path, ids[3] ?? '', 'new', { skip: 9, limit: 1 });
      expect(behind).toMatchObject({ changes: [], end: 'end' });
    });

    it.each([
      ['d', 3, 'dir', [3, 0]],
      ['d/e', 3, 'dir', [3, 0]],
      ['', 3, 'dir', [3, 2, 1, 0]],
      ['d', 4, null, [4, 3, 0]],
    ] as const)('of the directory %j at changeset %i has what changed below it', async (name, at, kind, expected) => {
      const found = await content.pathHistory(path, ids[at] ?? '', name, all);
      expect([found.kind, found.end]).toEqual([kind, 'end']);
      expect(found.changes.map(({ rawId }) => ids.indexOf(rawId))).toEqual(expected);
      for (const { path: at, change, formerPath } of found.changes)
        expect([at, change, formerPath]).toEqual([name, null, null]);
    });

    it.each(['nothing', 'new/x', '../new', 'd/nothing', 'OLD'])('there is none of %s', async (name) => {
      await expect(content.pathHistory(path, ids[3] ?? '', name, all)).rejects.toMatchObject({ kind: 'unknown-path' });
    });
  });

  describe('lines', () => {
    it('are those of the changesets that have written them, with what was before', async () => {
      const { directory, path } = await fresh();
      const first = await commit(directory, { old: lines('a', 'b', 'c', 'd') });
      const second = await commit(directory, { old: lines('a', 'B', 'c', 'd') });
      await run(directory, 'mv', 'old', 'new');
      const third = await commit(directory, { new: lines('0', 'a', 'B', 'c', 'd') });
      const { origins, blocks } = await content.annotate(path, third, 'new');
      const found = blocks.map(({ line, lines: count, origin, originLine }) => {
        return [line, count, origins[origin]?.rawId, origins[origin]?.path, originLine];
      });
      expect(found).toEqual([
        [1, 1, third, 'new', 1],
        [2, 1, first, 'old', 1],
        [3, 1, second, 'old', 2],
        [4, 2, first, 'old', 3],
      ]);
      const before = new Map(origins.map((origin) => [origin.rawId, origin.before]));
      expect(before.get(first)).toBeNull();
      expect(before.get(second)).toEqual({ rawId: first, path: 'old' });
      expect(before.get(third)).toEqual({ rawId: second, path: 'old' });
    });

    it('of an empty file are none', async () => {
      const { directory, path } = await fresh();
      expect(await content.annotate(path, await commit(directory, { empty: '' }), 'empty')).toEqual({
        origins: [],
        blocks: [],
      });
    });

    it('D8 of a file of 50,000 lines, and of one line of a million characters, are found', async () => {
      const { directory, path } = await fresh();
      await commit(directory, { many: '\n'.repeat(49_999), long: 'x' });
      const id = await commit(directory, { many: `${'\n'.repeat(49_999)}x\n`, long: 'x'.repeat(1_000_000) });
      expect((await content.annotate(path, id, 'many')).blocks.map((block) => block.lines)).toEqual([49_999, 1]);
      expect((await content.annotate(path, id, 'long')).blocks).toHaveLength(1);
    });
  });

  it('D1 D2 D5 no name of a file is read as an option, a pattern or an expression', async () => {
    const { directory, path } = await fresh();
    await writeFiles(directory, { other: 'x\n' });
    for (const name of type === 'git' ? oddNames : oddNames.filter((name) => !/[\n\r]/.test(name))) {
      const bytes = Buffer.from(name.replaceAll('\ufffdE9', '\u00e9'), 'latin1');
      await writeFile(join(directory, 'plain'), `of ${name}\n`);
      await rename(join(directory, 'plain'), Buffer.concat([Buffer.from(`${directory}/`), bytes]));
    }
    await commit(directory, {});
    const last = await commit(directory, { other: 'y\n' });
    for (const { name } of await content.directory(path, last, '')) {
      const { kind, changes } = await content.pathHistory(path, last, name, all);
      const { origins } = await content.annotate(path, last, name);
      expect([name, kind, changes.length]).toEqual([name, 'file', name === 'other' ? 2 : 1]);
      expect([changes[0]?.path, ...origins.map((origin) => origin.path)]).toEqual([name, name]);
    }
    expect((await content.directory(path, last, '')).length).toBeGreaterThan(11);
  });

  it('D12 a search ends with its client', async () => {
    const { directory, path } = await fresh();
    const id = await commit(directory, { a: '1\n' });
    const gone = AbortSignal.abort();
    const reads = bench.backends[type].forCall(gone);
    await expect(reads.pathHistory(path, id, 'a', all)).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(reads.annotate(path, id, 'a')).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

it('the history of a submodule is that of its path', async () => {
  const directory = bench.freshPath();
  await git(bench.directory, 'init', '-q', '-b', 'main', directory);
  await commitGit(directory, { a: '1' });
  await git(directory, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
  await git(directory, 'commit', '-q', '-m', 'sub');
  const id = await git(directory, 'rev-parse', 'HEAD');
  const found = await bench.backends.git.pathHistory(join(directory, '.git'), id, 'sub', all);
  expect([found.kind, found.changes.map(({ rawId }) => rawId)]).toEqual(['submodule', [id]]);
});

it('settings, attributes and replaced objects of a repository of git change nothing', async () => {
  const directory = bench.freshPath();
  await git(bench.directory, 'init', '-q', '-b', 'main', directory);
  const first = await commitGit(directory, {
    a: '1\n2\n',
    '.gitattributes': 'a diff=shout\n',
    '.mailmap': 'X <x@x> <ann@example.com>\n',
  });
  const second = await commitGit(directory, { a: '1\n 2\n' });
  await git(directory, 'config', 'diff.shout.textconv', 'touch canary; tr a-z A-Z');
  await git(directory, 'config', 'blame.ignoreRevsFile', 'ignored');
  await writeFiles(directory, { ignored: `${second}\n` });
  const { origins } = await bench.backends.git.annotate(join(directory, '.git'), second, 'a');
  expect(origins.map(({ rawId }) => rawId).toSorted()).toEqual([first, second].toSorted());
});

it('D8 a search in Mercurial ends when its time is up, with what it has found', async () => {
  const directory = bench.freshPath();
  await hg(bench.directory, 'init', directory);
  await commitHg(directory, { a: '1' });
  const extension = fileURLToPath(new URL('../../mercurial/trunkline_paths.py', import.meta.url));
  const search = (seconds: number, name: string) => {
    const bounds = ['--rev=0', '--limit=9', `--seconds=${seconds}`];
    return hg(directory, `--config=extensions.paths=${extension}`, 'trunkline-history', ...bounds, '--', name);
  };
  const ends = await Promise.all([search(0, 'a'), search(0, 'none'), search(60, 'a'), search(60, 'none')]);
  expect(ends.map((printed) => printed.split('\0').at(-2))).toEqual(['late', 'late', 'end', 'end']);
});
