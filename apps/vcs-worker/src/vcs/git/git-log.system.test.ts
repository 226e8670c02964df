import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogQuery, VcsBackend } from '../backend.ts';
import { feedGit, fastImport } from '../testing/feed-git.ts';
import { git } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let backend: VcsBackend;
let path = '';
let ids: readonly string[] = [];
const idOf = (number: number) => ids[number] ?? '';
const secondsPerDay = 86_400;

async function createBare(): Promise<string> {
  const repository = bench.freshPath();
  await backend.init(repository, 'uuid');
  return repository;
}

function commit(branch: string, number: number, message: string, lines: readonly string[]): string {
  // The author date differs, so that only the committer date gives the expected dates.
  const author = 'author Äni <ani@example.com> 5 +0100';
  const committer = `committer Bob <bob@example.com> ${number * secondsPerDay} +0000`;
  const data = `data ${Buffer.byteLength(message)}\n${message}`;
  return `${[`commit refs/heads/${branch}`, `mark :${number + 1}`, author, committer, data, ...lines].join('\n')}\n`;
}

const file = (name: string, content: string, mode = '100644') =>
  `M ${mode} inline ${name}\ndata ${content.length}\n${content}`;

/**
 * Creates five commits; commit n has committer date n days after 1970.
 *
 *     main:  0 <- 1 <- 3, which merges 2
 *     sidé:  0 <- 2
 *     main2: 4, a root
 */
async function makeHistory(): Promise<void> {
  path = await createBare();
  const submodule = `M 160000 ${'1'.repeat(40)} sub`;
  await fastImport(
    path,
    [
      commit('main', 0, 'one\n', [file('a', '1'), file('b', '1'), submodule]),
      commit('main', 1, 'two', [
        'from :1',
        file('a', '2'),
        'R b d/b',
        // A name that is not valid UTF-8.
        String.raw`M 100644 inline "c\342\202.\377"`,
        'data 0',
        '',
        file('sub', 'a file'),
      ]),
      commit('sidé', 2, '', ['from :1', file('e\u{1f480}', 'x'), file('a', '1', '100755')]),
      commit('main', 3, 'merge', ['from :2', 'merge :3', file('e\u{1f480}', 'x')]),
      commit('main2', 4, 'root', [file('z', '1')]),
    ].join(''),
  );
  ids = (await git(path, 'rev-list', '--all', '--date-order', '--reverse')).split('\n');
}

beforeAll(async () => {
  bench = await openWorkbench();
  backend = bench.backends.git;
  await makeHistory();
});
afterAll(() => bench.close());

async function numbers(query: Omit<LogQuery, 'withFiles'>): Promise<number[]> {
  return (await backend.log(path, { ...query, withFiles: false })).map(({ revision }) => revision);
}

describe('log', () => {
  it('returns parents and, when asked for, the files changed against the first parent', async () => {
    const [first, second, third, merge, root, ...rest] = await backend.log(path, { withFiles: true });
    expect(rest).toEqual([]);
    expect(first).toEqual({
      rawId: idOf(0),
      revision: 0,
      author: 'Äni <ani@example.com>',
      date: new Date(0),
      message: 'one\n',
      parents: [],
      branch: null,
      files: { added: ['a', 'b', 'sub'], changed: [], removed: [] },
    });
    expect(second).toMatchObject({
      parents: [idOf(0)],
      date: new Date(secondsPerDay * 1_000),
      // A file has replaced the submodule.
      files: { added: ['c\ufffdE2\ufffd82.\ufffdFF', 'd/b'], changed: ['a', 'sub'], removed: ['b'] },
    });
    expect(third).toMatchObject({ message: '', files: { added: ['e\u{1f480}'], changed: ['a'], removed: [] } });
    expect(merge).toMatchObject({
      parents: [idOf(1), idOf(2)],
      files: { added: ['e\u{1f480}'], changed: [], removed: [] },
    });
    expect(root).toMatchObject({ parents: [], files: { added: ['z'], changed: [], removed: [] } });
    expect((await backend.log(path, { withFiles: false })).map(({ files }) => files)).toEqual(ids.map(() => null));
  });

  it('filters by range, date and branch, with a limit and a cursor', async () => {
    const dateOf = (number: number) => new Date(number * secondsPerDay * 1_000);
    expect(await numbers({})).toEqual([0, 1, 2, 3, 4]);
    expect(await numbers({ reverse: true })).toEqual([4, 3, 2, 1, 0]);
    expect(await numbers({ from: idOf(1), to: idOf(3) })).toEqual([1, 2, 3]);
    expect(await numbers({ from: idOf(3), to: idOf(1) })).toEqual([]);
    expect(await numbers({ since: dateOf(1), until: dateOf(3) })).toEqual([1, 2, 3]);
    expect(await numbers({ since: new Date(secondsPerDay * 1_000 + 1) })).toEqual([2, 3, 4]);
    expect(await numbers({ branch: 'main', reverse: true })).toEqual([3, 2, 1, 0]);
    expect(await numbers({ branch: 'sidé' })).toEqual([0, 2]);
    expect(await numbers({ limit: 2, after: idOf(1) })).toEqual([2, 3]);
    expect(await numbers({ limit: 2, after: idOf(3), reverse: true })).toEqual([2, 1]);
    expect(await numbers({ after: idOf(4) })).toEqual([]);
    expect(await numbers({ after: idOf(0), reverse: true })).toEqual([]);
    expect(await numbers({ from: idOf(1), branch: 'sidé', since: dateOf(0), limit: 1 })).toEqual([2]);
  });

  it.each(['missing', 'refs/heads/main', '--all', 'main^', 'main~1', '@', '..', 'main\nsidé', 'x'.repeat(300)])(
    'D5 %j is an unknown branch',
    async (branch) => {
      await expect(numbers({ branch })).rejects.toMatchObject({ kind: 'unknown-revision' });
      expect(await numbers({ branch: 'sidé' })).toEqual([0, 2]);
    },
  );

  it('D5 an empty branch name gives the log of all branches', async () => {
    expect(await numbers({ branch: '' })).toHaveLength(5);
  });

  it('a commit that no ref reaches is unknown', async () => {
    const tree = await git(path, 'rev-parse', `${idOf(0)}^{tree}`);
    const unreferenced = await git(path, 'commit-tree', '-m', 'x', tree);
    const unknown = { kind: 'unknown-revision' };
    await expect(backend.changeset(path, unreferenced, { withFiles: false })).rejects.toMatchObject(unknown);
    await expect(numbers({ from: unreferenced })).rejects.toMatchObject(unknown);
  });

  it('returns 700 commits, more than are read at once (256), each with its number', async () => {
    const long = await createBare();
    const lines = Array.from({ length: 700 }, (_, number) => commit('main', number, `${number}`, []));
    await fastImport(long, lines.join(''));
    const entries = await backend.log(long, { withFiles: true });
    expect(entries.map(({ revision, message }) => [revision, message])).toEqual(
      Array.from({ length: 700 }, (_, number) => [number, `${number}`]),
    );
    expect(entries.at(-1)?.files).toEqual({ added: [], changed: [], removed: [] });
  });

  it('refuses more than 32 MiB of commits, unless a limit keeps the answer small', async () => {
    const long = await createBare();
    const message = 'x'.repeat(9_000_000);
    await fastImport(long, [0, 1, 2, 3].map((number) => commit('main', number, message, [])).join(''));
    await expect(backend.log(long, { withFiles: false })).rejects.toMatchObject({ kind: 'too-large' });
    expect(await backend.log(long, { withFiles: false, limit: 1 })).toHaveLength(1);
  });

  it('an empty repository has an empty log', async () => {
    expect(await backend.log(await createBare(), { withFiles: true })).toEqual([]);
  });

  it('D8 a malformed commit object makes the log fail as an error of the back end', async () => {
    const broken = await createBare();
    const id = await feedGit(broken, ['hash-object', '-w', '--stdin', '-t', 'commit', '--literally'], 'nonsense');
    await writeFile(join(broken, 'packed-refs'), `${id} refs/heads/main\n`);
    await expect(backend.log(broken, { withFiles: false })).rejects.toMatchObject({ kind: 'failed' });
  });
});

describe('changeset', () => {
  it('returns the same entry as the log', async () => {
    const entries = await backend.log(path, { withFiles: true });
    const single = await Promise.all(ids.map((id) => backend.changeset(path, id, { withFiles: true })));
    expect(single).toEqual(entries);
  });
});

describe('refs', () => {
  it('lists branches and tags, a tag object with its commit, but no other refs and no tags of other objects', async () => {
    const named = await createBare();
    await fastImport(named, commit('main', 0, 'x', [file('a', '1')]));
    const rawId = await git(named, 'rev-parse', 'main');
    await git(named, 'tag', 'light', rawId);
    await git(named, 'tag', '-a', '-m', 'x', 'v1', rawId);
    await git(named, '-c', 'advice.nestedTag=false', 'tag', '-a', '-m', 'x', 'v2/of-a-tag', 'v1');
    await git(named, 'tag', '123456789012', rawId);
    await git(named, 'tag', 'blob', `${rawId}:a`);
    await git(named, 'tag', '-a', '-m', 'x', 'tree', `${rawId}^{tree}`);
    await git(named, 'update-ref', 'refs/heads/__proto__', rawId);
    await git(named, 'update-ref', 'refs/notes/commits', rawId);
    const packed = Buffer.concat([Buffer.from(`${rawId} refs/heads/x`), Buffer.from([0xff]), Buffer.from('\n')]);
    const before = await readFile(join(named, 'packed-refs')).catch(() => Buffer.alloc(0));
    await writeFile(join(named, 'packed-refs'), Buffer.concat([before, packed]));
    const { bookmarks, branches, closedBranches, tags } = await backend.refs(named);
    expect([bookmarks.size, closedBranches.size]).toEqual([0, 0]);
    expect([...branches.keys()]).toEqual(['__proto__', 'main', 'x\ufffdFF']);
    expect(await backend.resolveRevision(named, 'x\ufffdFF')).toBe(rawId);
    expect([...tags]).toEqual(['123456789012', 'light', 'v1', 'v2/of-a-tag'].map((name) => [name, rawId]));
  });

  it('an empty repository has no branches or tags', async () => {
    const { branches, tags } = await backend.refs(await createBare());
    expect([branches.size, tags.size]).toEqual([0, 0]);
  });
});
