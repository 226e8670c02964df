import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAheadBehind } from './ahead-behind.ts';
import type { VcsBackend } from './backend.ts';
import { newestFirst, orderedPage } from './ref-order.ts';
import { SortedRefs } from './sorted-refs.ts';
import { fastImport, feedGit } from './testing/feed-git.ts';
import { git, hg, writeFiles } from './testing/tools.ts';
import { neverAborted, openWorkbench, type Workbench } from './testing/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

interface History {
  readonly backend: VcsBackend;
  readonly path: string;
  /** The changesets called base, 1, 2 and 3: 1 follows base, 2 follows 1, 3 follows base; second n after 1970 of each. */
  readonly ids: readonly string[];
}

const hostile = ['a<b>"&', '2', 'HEAD', 'é%2F', '-x', `x-g${'0'.repeat(8)}`];

async function gitHistory(): Promise<History> {
  const backend = bench.backends.git;
  const path = bench.freshPath();
  await backend.init(path, 'uuid');
  const at = (name: string, mark: number, from?: number) =>
    `commit refs/heads/${name}\nmark :${mark}\ncommitter Ann <a@example.com> ${mark} +0000\ndata 4\nat ${mark}\n` +
    `${from ? `from :${from}\n` : ''}M 100644 inline f\ndata 1\n${mark}\n\n`;
  await fastImport(path, at('base', 1) + at('side', 2, 1) + at('side', 3, 2) + at('main', 4, 1));
  const ids = (await git(path, 'rev-parse', 'base', 'side~1', 'side', 'main')).split('\n');
  return { backend, path, ids };
}

async function hgHistory(): Promise<History> {
  const path = bench.freshPath();
  await mkdir(path);
  await hg(path, 'init', '.');
  const ids: string[] = [];
  for (const [index, parent] of [null, 0, 1, 0].entries()) {
    if (parent !== null) await hg(path, 'update', '-q', String(parent));
    await writeFiles(path, { f: `${index}` });
    await hg(path, 'commit', '-A', '-q', '-u', 'Ann <a@example.com>', '-m', `at ${index + 1}`, '-d', `${index + 1} 0`);
    ids.push(await hg(path, 'log', '-r', '.', '-T', '{node}'));
  }
  return { backend: bench.backends.hg, path, ids };
}

describe.each([
  ['git', gitHistory],
  ['hg', hgHistory],
])('references of a %s repository', (type, make) => {
  let history: History;
  beforeAll(async () => {
    history = await make();
    const { path, ids } = history;
    for (const [index, name] of hostile.entries()) {
      const id = ids[index % ids.length] ?? '';
      if (type === 'git') await git(path, 'update-ref', `refs/tags/${name}`, id);
      else if (!/^\d/.test(name)) await hg(path, 'bookmark', '--inactive', '-r', id, '--', name);
    }
  });

  it('are described in their order, whatever they are called', async () => {
    const { backend, path, ids } = history;
    const kind = type === 'git' ? 'tag' : 'bookmark';
    const refs = hostile.map((name, index) => ({ kind, name, rawId: ids[index % ids.length] ?? '' }) as const);
    const described = await backend.describeRefs(path, refs);
    expect(described.map(({ changeset, tag }) => [changeset?.message.trim(), changeset?.author, tag])).toEqual(
      refs.map((_, index) => [`at ${(index % ids.length) + 1}`, 'Ann <a@example.com>', null]),
    );
    expect(await backend.describeRefs(path, [])).toEqual([]);
  });

  it('have times', async () => {
    const { backend, path, ids } = history;
    const times = await backend.refTimes(path);
    for (const [index, id] of ids.entries()) expect([index, times.get(id)]).toEqual([index, (index + 1) * 1_000]);
  });

  it('are ahead and behind of another one by what only one of both reaches', async () => {
    const { backend, path, ids } = history;
    const [base = '', first = '', second = '', main = ''] = ids;
    const counted = await countAheadBehind(backend, path, { base: main, rawIds: ids, until: neverAborted });
    expect(Object.fromEntries(counted ?? [])).toEqual({
      [base]: { ahead: 0, behind: 1 },
      [first]: { ahead: 1, behind: 1 },
      [second]: { ahead: 2, behind: 1 },
      [main]: { ahead: 0, behind: 0 },
    });
  });

  it('are not counted when the time for it is over', async () => {
    const { backend, path, ids } = history;
    const [base = ''] = ids;
    expect(await countAheadBehind(backend, path, { base, rawIds: ids, until: AbortSignal.abort() })).toBeNull();
  });

  it('are counted in no case when the call is over', async () => {
    const { backend, path, ids } = history;
    const [base = ''] = ids;
    const ended = backend.forCall(AbortSignal.abort());
    const counted = countAheadBehind(ended, path, { base, rawIds: ids, until: neverAborted });
    await expect(counted).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

it.each([
  ['git', gitHistory],
  ['hg', hgHistory],
])('of 5,000 references in %s only those of a page are described', async (type, make) => {
  const { backend, path, ids } = await make();
  const names = Array.from({ length: 5_000 }, (_, index) => `m1.${index}`);
  const lineOf = (name: string, index: number) =>
    `${ids[index % ids.length]} ${type === 'git' ? 'refs/heads/' : ''}${name}\n`;
  const file = type === 'git' ? 'packed-refs' : '.hg/bookmarks';
  await appendFile(join(path, file), names.map(lineOf).join(''));
  const kind = type === 'git' ? 'branch' : 'bookmark';
  const refs = await SortedRefs.of(await backend.refs(path));
  const order = await newestFirst(refs, kind, await backend.refTimes(path));
  const page = await orderedPage(refs, { kind, filter: 'M1.', limit: 100, cursor: null, order, first: null });
  const newest = names.filter((_, index) => index % ids.length === ids.length - 1).toSorted();
  expect(page.refs.map(({ name }) => name)).toEqual(newest.slice(0, 100));
  const described = await backend.describeRefs(path, page.refs);
  expect(new Set(described.map(({ changeset }) => changeset?.message.trim()))).toEqual(new Set(['at 4']));
});

it('histories of hg that have nothing in common are ahead and behind by all of both', async () => {
  const { backend, path, ids } = await hgHistory();
  const [base = ''] = ids;
  await hg(path, 'update', '-q', 'null');
  await writeFiles(path, { g: '1' });
  await hg(path, 'commit', '-A', '-q', '-u', 'Ann', '-m', 'alone');
  const alone = await hg(path, 'log', '-r', '.', '-T', '{node}');
  const counted = await countAheadBehind(backend, path, { base, rawIds: [alone], until: neverAborted });
  expect(counted?.get(alone)).toEqual({ ahead: 1, behind: 1 });
});

describe('in git', () => {
  let history: History;
  beforeAll(async () => {
    history = await gitHistory();
  });

  /** Writes a tag object about the second commit, and describes the tag. */
  async function describeTag(name: string, text: string, type = 'commit', object = history.ids[1] ?? '') {
    const { backend, path, ids } = history;
    const content = `object ${object}\ntype ${type}\ntag ${name}\n${text}`;
    const id = await feedGit(path, ['hash-object', '-t', 'tag', '-w', '--stdin', '--literally'], content);
    await git(path, 'update-ref', `refs/tags/${name}`, id);
    const [described] = await backend.describeRefs(path, [{ kind: 'tag', name, rawId: ids[1] ?? '' }]);
    return { id, described };
  }

  it.each([
    ['-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----\n', true],
    ['-----BEGIN SSH SIGNATURE-----\nabc=\n-----END SSH SIGNATURE-----\n', true],
    ['no -----BEGIN PGP SIGNATURE-----\n', false],
  ])('an annotated tag has its message without the signature %j', async (end, isSigned) => {
    const { described } = await describeTag('v1/<b>', `tagger Bea <b@example.com> 90 +0000\n\none <i>\n\ntwo\n${end}`);
    const message = `one <i>\n\ntwo\n${isSigned ? '' : end}`;
    expect(described?.tag).toEqual({ tagger: 'Bea <b@example.com>', date: new Date(90_000), message, isSigned });
    expect(described?.changeset).toMatchObject({ message: 'at 2', isSigned: false });
  });

  it('a tag without a tagger, and one that is too large, are described as far as they can be', async () => {
    const { described: old } = await describeTag('old', '\nold');
    expect(old?.tag).toMatchObject({ tagger: '', date: new Date(0), message: 'old' });
    const { described: large } = await describeTag('large', `\n${'x'.repeat(70_000)}`);
    expect(large).toMatchObject({ tag: null, changeset: { message: 'at 2' } });
  });

  it('a tag of a tag is described by the outer one, and a tag of a tree has no time', async () => {
    const { backend, path, ids } = history;
    const { id } = await describeTag('inner', '\ninner');
    const { described } = await describeTag('outer', '\nouter', 'tag', id);
    expect(described?.tag?.message).toBe('outer');
    await git(path, 'tag', 'tree', `${ids[0]}^{tree}`);
    expect(new Set((await backend.refTimes(path)).values())).toEqual(new Set([1_000, 2_000, 3_000, 4_000]));
  });

  it('a signature in a commit is seen', async () => {
    const { backend, path, ids } = history;
    const text = await git(path, 'cat-file', 'commit', ids[1] ?? '');
    const signed = text.replace('\n\n', '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n');
    const rawId = await feedGit(path, ['hash-object', '-t', 'commit', '-w', '--stdin'], signed);
    const named = [{ kind: 'branch', name: 'signed', rawId } as const];
    expect(await backend.describeRefs(path, named)).toMatchObject([{ changeset: { message: 'at 2', isSigned: true } }]);
  });
});
