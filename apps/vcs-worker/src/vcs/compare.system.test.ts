import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from './backend.ts';
import { commitGit, commitHg, git, hg } from './testing/tools.ts';
import { openWorkbench, type Workbench } from './testing/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

type Type = 'hg' | 'git';

/** What differs between the two systems. */
const tools = {
  git: {
    commit: commitGit,
    init: (path: string) => git(bench.directory, 'init', '-q', '-b', 'main', path),
    /** Goes on from a commit, on a branch of its own; from none, with a history of its own. */
    begin: (path: string, name: string, from: string | null) =>
      from === null ? git(path, 'switch', '-q', '--orphan', name) : git(path, 'switch', '-q', '-c', name, from),
    inRepository: (path: string) => join(path, '.git'),
  },
  hg: {
    commit: commitHg,
    init: (path: string) => hg(bench.directory, 'init', path),
    begin: async (path: string, _name: string, from: string | null) => hg(path, 'update', '-q', '-C', from ?? 'null'),
    inRepository: (path: string) => path,
  },
} as const;

const textOf = async (content: AsyncIterable<Uint8Array>) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

describe.each<Type>(['git', 'hg'])('a comparison of %s', (type) => {
  const { commit, init, begin, inRepository } = tools[type];
  let backend: VcsBackend;
  const path = () => inRepository(work);
  let work = '';
  const ids = { base: '', left: '', first: '', second: '', alone: '' };

  beforeAll(async () => {
    backend = bench.backends[type];
    work = bench.freshPath();
    await init(work);
    await commit(work, { kept: 'same\n', 'old name': 'a\nb\nc\nd\n' });
    ids.base = await commit(work, { changed: '1\n' });
    ids.left = await commit(work, { left: 'l\n' });
    await begin(work, 'right', ids.base);
    ids.first = await commit(work, { changed: '2\n', 'ü\t#': 'x\n' });
    ids.second = await commit(work, { changed: '3\n' });
    await begin(work, 'alone', null);
    ids.alone = await commit(work, { kept: 'other\n' });
  });

  const compare = (from: string, to: string, page: { limit?: number; skip?: number } = {}) =>
    backend.compare(path(), { from, to, fromPath: null, limit: 10, skip: 0, ...page });
  const listed = ({ changesets }: Awaited<ReturnType<VcsBackend['compare']>>) => changesets.map(({ rawId }) => rawId);

  it('lists what only the second side has, the newest first, and counts both', async () => {
    const found = await compare(ids.left, ids.second);
    expect(found).toMatchObject({ base: ids.base, ahead: 2, behind: 1 });
    expect(listed(found)).toEqual([ids.second, ids.first]);
    const [newest] = found.changesets;
    expect(newest).toEqual(await backend.changeset(path(), ids.second, { withFiles: false }));
  });

  it('is read in pages', async () => {
    expect(listed(await compare(ids.left, ids.second, { limit: 1 }))).toEqual([ids.second]);
    expect(listed(await compare(ids.left, ids.second, { limit: 1, skip: 1 }))).toEqual([ids.first]);
    expect(listed(await compare(ids.left, ids.second, { limit: 1, skip: 2 }))).toEqual([]);
  });

  it('of a changeset with one that follows it, and with itself', async () => {
    expect(await compare(ids.base, ids.second)).toMatchObject({ base: ids.base, ahead: 2, behind: 0 });
    expect(await compare(ids.second, ids.base)).toMatchObject({ base: ids.base, ahead: 0, behind: 2, changesets: [] });
    expect(await compare(ids.left, ids.left)).toMatchObject({ base: ids.left, ahead: 0, behind: 0, changesets: [] });
  });

  it('of histories without a common ancestor starts from no files', async () => {
    const found = await compare(ids.left, ids.alone);
    expect(found).toMatchObject({ base: null, ahead: 1, behind: 3 });
    expect(await backend.changesSince(path(), null, ids.alone)).toMatchObject({ added: ['kept'], removed: [] });
    const diff = await textOf(
      backend.diff(path(), ids.alone, { context: 3, ignoreWhitespace: false, binary: false, base: null }),
    );
    expect(diff).toMatch(/^diff --git a\/kept b\/kept\nnew file mode 100644\n/);
    expect(diff).toContain('\n+other\n');
  });

  it('shows the files and lines that differ from the common ancestor', async () => {
    expect(await backend.changesSince(path(), ids.base, ids.second)).toEqual({
      added: ['ü\t#'],
      changed: ['changed'],
      removed: [],
    });
    const options = { context: 3, ignoreWhitespace: false, base: ids.base };
    for (const binary of [true, false]) {
      const diff = await textOf(backend.diff(path(), ids.second, { ...options, binary }));
      expect(diff).toContain('\n-1\n+3\n');
      expect(diff).not.toContain('+2');
      expect(diff).not.toContain('left');
    }
  });

  it('of a fork reads both repositories, whose numbers stay their own', async () => {
    const fork = bench.freshPath();
    await cp(work, fork, { recursive: true });
    await begin(fork, 'forked', ids.second);
    const own = await commit(fork, { own: '1\n' });
    await begin(work, 'later', ids.left);
    const later = await commit(work, { later: '1\n' });
    const pair = { from: later, to: own, fromPath: path() };
    const found = await backend.compare(inRepository(fork), { ...pair, limit: 10, skip: 0 });
    expect(found).toMatchObject({ base: ids.base, ahead: 3, behind: 2 });
    expect(listed(found)).toEqual([own, ids.second, ids.first]);
    expect(found.changesets[0]).toEqual(await backend.changeset(inRepository(fork), own, { withFiles: false }));
    expect(await backend.mergeBase(inRepository(fork), pair)).toBe(ids.base);
    // Neither has got anything of the other one.
    await expect(backend.resolveRevision(inRepository(fork), later)).rejects.toMatchObject({
      kind: 'unknown-revision',
    });
    await expect(backend.resolveRevision(path(), own)).rejects.toMatchObject({ kind: 'unknown-revision' });
  });
});

it('a commit of git that no reference reaches is unknown to a comparison', async () => {
  const work = bench.freshPath();
  await git(bench.directory, 'init', '-q', '-b', 'main', work);
  const first = await commitGit(work, { a: '1' });
  const lost = await commitGit(work, { a: '2' });
  await git(work, 'reset', '-q', '--hard', first);
  const compared = bench.backends.git.compare(join(work, '.git'), {
    from: first,
    to: lost,
    fromPath: null,
    limit: 5,
    skip: 0,
  });
  await expect(compared).rejects.toMatchObject({ kind: 'unknown-revision' });
});
