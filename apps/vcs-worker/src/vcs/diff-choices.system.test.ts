import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectBytes } from '../collect-bytes.ts';
import type { DiffOptions } from './content.ts';
import { git, hg } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';

const shown = { context: 3, ignoreWhitespace: false, binary: false };
const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);

/** Names that mean something else where they are no plain paths; the last one is no UTF-8 (`caf\xe9`). */
const hostile = [
  ':(exclude)text',
  ':!text',
  '-rf',
  '--output=x',
  '*',
  't[e]xt',
  're:.*',
  'set:added()',
  'listfile:x',
  'a,b c',
  ' space ',
  'dir/in it',
  'ü',
];
const latin = Buffer.from('caf\xe9', 'latin1');

interface History {
  /** The path that the back end reads. */
  readonly path: string;
  readonly root: string;
  readonly change: string;
  readonly side: string;
  readonly merge: string;
}

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

const tools = {
  git: {
    run: git,
    commit: async (at: string, message: string) => {
      await git(at, 'add', '-A');
      await git(at, 'commit', '-q', '--author=Bob <bob@example.com>', '-m', message);
      return git(at, 'rev-parse', 'HEAD');
    },
  },
  hg: {
    run: hg,
    commit: async (at: string, message: string) => {
      await hg(at, 'addremove', '-q');
      await hg(at, 'commit', '-q', '-m', message, '-u', 'Bob <bob@example.com>');
      return hg(at, 'log', '-r', '.', '-T', '{node}');
    },
  },
};

async function makeHistory(type: 'git' | 'hg'): Promise<History> {
  const { run, commit } = tools[type];
  const directory = bench.freshPath();
  await mkdir(join(directory, 'dir'), { recursive: true });
  await run(directory, 'init', '-q', ...(type === 'git' ? ['-b', 'main', '.'] : ['.']));
  const write = (name: string | Buffer, content: string) =>
    writeFile(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name)]), content);
  for (const name of [...hostile, 'text', latin]) await write(name, 'before\n');
  await write('old', `${lines.join('\n')}\n`);
  const root = await commit(directory, 'root');
  for (const name of [...hostile, 'text', latin]) await write(name, 'after\n');
  await rename(join(directory, 'old'), join(directory, 'new'));
  if (type === 'hg') await hg(directory, 'rename', '--after', 'old', 'new');
  await write('new', `${lines.with(20, 'changed').join('\n')}\n`);
  const change = await commit(directory, 'change\n\nmore');
  await run(directory, ...(type === 'git' ? ['checkout', '-q', root] : ['update', '-q', root]));
  await write('side', 'side\n');
  const side = await commit(directory, 'side');
  await run(directory, ...(type === 'git' ? ['checkout', '-q', 'main'] : ['update', '-q', change]));
  await run(directory, 'merge', '-q', ...(type === 'git' ? ['-m', 'merge', side] : [side]));
  const merge = type === 'git' ? await git(directory, 'rev-parse', 'HEAD') : await commit(directory, 'merge');
  return { path: join(directory, type === 'git' ? '.git' : ''), root, change, side, merge };
}

describe.each(['git', 'hg'] as const)('of %s', (type) => {
  let history: History;
  beforeAll(async () => {
    history = await makeHistory(type);
  });

  async function filesIn(rawId: string, options: Partial<DiffOptions>): Promise<string[]> {
    const bytes = await collectBytes(bench.backends[type].diff(history.path, rawId, { ...shown, ...options }));
    return (
      Buffer.from(bytes)
        .toString('latin1')
        .match(/^diff --git .*$/gm) ?? []
    );
  }

  it.each(hostile)('D2 the diff of one file has that file alone, called %j', async (name) => {
    const found = await filesIn(history.change, { paths: [name] });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`a/${Buffer.from(name).toString('latin1')}`);
  });

  it('the diff of one file whose name is no UTF-8 has that file', async () => {
    const found = await filesIn(history.change, { paths: ['caf\ufffdE9'] });
    expect(found.filter((line) => /caf(?:\xe9|\\351)/.test(line))).toHaveLength(1);
    // Git cannot be told such a name.
    expect(found.length === 1).toBe(type === 'hg');
  });

  it('the diff of a renamed file has its change where both of its names are told', async () => {
    const diff = bench.backends[type].diff(history.path, history.change, { ...shown, paths: ['new', 'old'] });
    const text = String(await collectBytes(diff));
    expect(text).toContain('\nrename from old\nrename to new\n');
    expect(text.match(/^[-+](?![-+])/gm)).toHaveLength(2);
    expect(text.match(/^diff --git /gm)).toHaveLength(1);
  });

  it('the diff of a file that did not change is empty', async () => {
    expect(await filesIn(history.change, { paths: ['none'] })).toEqual([]);
  });

  it('the diff of a merge compares it with the parent that is asked for', async () => {
    expect(await filesIn(history.merge, {})).toEqual(['diff --git a/side b/side']);
    expect(await filesIn(history.merge, { parent: 1 })).toEqual(['diff --git a/side b/side']);
    const against = await filesIn(history.merge, { parent: 2 });
    expect(against).toHaveLength(hostile.length + 3);
    expect(against.join('\n')).not.toContain('side');
    for (const [rawId, parent] of [
      [history.merge, 3],
      [history.change, 2],
      [history.root, 2],
    ] as const) {
      await expect(filesIn(rawId, { parent })).rejects.toMatchObject({ kind: 'unknown-revision' });
    }
    expect(await filesIn(history.root, { parent: 1 })).toHaveLength(hostile.length + 3);
  });

  it('parents and children of a changeset are told, the first parent first', async () => {
    const relations = (rawId: string, max = 9) => bench.backends[type].relations(history.path, rawId, max);
    const idsOf = (relatives: readonly { rawId: string }[] | null) => relatives?.map(({ rawId }) => rawId);
    const ofMerge = await relations(history.merge);
    expect(idsOf(ofMerge.parents)).toEqual([history.change, history.side]);
    expect(ofMerge.parents[0]).toMatchObject({
      author: 'Bob <bob@example.com>',
      message: expect.stringMatching(/^change\n\nmore\n?$/),
    });
    expect(idsOf((await relations(history.merge, 1)).parents)?.slice(0, 1)).toEqual([history.change]);
    const ofRoot = await relations(history.root);
    expect(ofRoot.parents).toEqual([]);
    // Without a known state of the repository, the newest commits of git are not read.
    const known = <T>(ids: T) => (type === 'hg' ? ids : undefined);
    expect(idsOf(ofRoot.children)).toEqual(known([history.change, history.side]));
    expect(idsOf((await relations(history.root, 1)).children)).toEqual(known([history.change]));
    expect(idsOf(ofMerge.children)).toEqual(known([]));
    expect((await relations(history.change)).committer).toBe(type === 'hg' ? null : 'Ann <ann@example.com>');
  });

  it('children of a changeset are told by a repository whose state is known', async () => {
    const { path, merge } = history;
    const revision = 3;
    const state = { uuid: `uuid of ${type}`, generation: 1, tip: { rawId: merge, revision } };
    const reads = bench.backends[type].forCall(new AbortController().signal, state);
    const { children } = await reads.relations(path, history.root, 9);
    expect(children?.map(({ rawId }) => rawId).toSorted()).toEqual([history.change, history.side].toSorted());
    expect((await reads.relations(path, history.change, 9)).children?.map(({ rawId }) => rawId)).toEqual([merge]);
    expect((await reads.relations(path, merge, 9)).children).toEqual([]);
  });
});
