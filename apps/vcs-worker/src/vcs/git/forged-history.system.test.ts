import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from '../backend.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { fastImport } from '../testing/feed-git.ts';
import { forgeCommitGraph } from '../testing/graph-files.ts';
import { commit, file } from '../testing/odd-git.ts';
import { commitGit, git } from '../testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let backend: VcsBackend;
let sound = '';
let tip = '';
let parent = '';

beforeAll(async () => {
  bench = await openWorkbench();
  backend = bench.backends.git;
  sound = bench.freshPath();
  await backend.init(sound, 'uuid');
  const changes = [1, 2, 3].map((mark) =>
    commit({ mark, parents: mark === 1 ? [] : [mark - 1] }, [
      file('dir/a', `true ${mark}\n`),
      file(`b${mark}`, 'true'),
    ]),
  );
  await fastImport(sound, changes.join(''));
  tip = await git(sound, 'rev-parse', 'main');
  parent = await git(sound, 'rev-parse', 'main^');
});
afterAll(() => bench.close());

const shown = { context: 3, ignoreWhitespace: false, binary: true };

/** Reads everything that the back end shows of a repository. */
async function readAll(path: string): Promise<Record<string, unknown>> {
  const text = async (stream: AsyncIterable<Uint8Array>) => (await collectBytes(stream)).toString('latin1');
  return {
    tip: await backend.tip(path),
    newest: await backend.resolveRevision(path, 'tip'),
    second: await backend.resolveRevision(path, 1),
    log: await backend.log(path, { withFiles: true }),
    branch: await backend.log(path, { withFiles: false, branch: 'main' }),
    changeset: await backend.changeset(path, tip, { withFiles: true }),
    refs: await backend.refs(path),
    nodes: await backend.nodes(path, tip, ''),
    directory: await backend.directory(path, tip, 'dir'),
    file: await text((await backend.openFile(path, tip, 'dir/a')).content),
    diff: await text(backend.diff(path, tip, shown)),
    patch: await text(backend.patch(path, tip, shown)),
    stats: await backend.fileStats(path, [tip, parent], 10),
    archive: await text(backend.archive(path, tip, { format: 'tar', prefix: 'x', subrepos: false })),
  };
}

/** Creates a commit with other content, newer than all others and with no ref; returns its id. */
async function makeForged(path: string): Promise<string> {
  const forged = commit({ mark: 9, parents: [], message: 'forged\n', author: 'Eve <eve@example.com>' }, [
    file('dir/a', 'forged\n'),
    file('evil', 'forged'),
  ]);
  await fastImport(path, forged.replaceAll('refs/heads/main', 'refs/heads/forged'));
  const rawId = await git(path, 'rev-parse', 'refs/heads/forged');
  await git(path, 'update-ref', '-d', 'refs/heads/forged');
  return rawId;
}

const forgeries: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a replaced commit': async (path) => git(path, 'replace', tip, await makeForged(path)),
  'a replaced commit in packed-refs': async (path) => {
    await git(path, 'replace', tip, await makeForged(path));
    await git(path, 'pack-refs', '--all');
  },
  'replaced trees and files': async (path) => {
    const forged = await makeForged(path);
    const idsOf = (rawId: string) => git(path, 'rev-parse', rawId, `${rawId}:`, `${rawId}:dir`, `${rawId}:dir/a`);
    const [, ...theirs] = (await idsOf(forged)).split('\n');
    const [, ...ours] = (await idsOf(tip)).split('\n');
    for (const [index, id] of ours.entries()) await git(path, 'replace', id, theirs[index] ?? '');
  },
  'other parents by graft': async (path) => {
    await mkdir(join(path, 'info'), { recursive: true });
    await writeFile(join(path, 'info/grafts'), `${tip}\n${parent} ${await makeForged(path)}\n`);
  },
};

describe.each(Object.entries(forgeries))('C4 %s', (_, forge) => {
  it('does not change what the back end shows of the repository and of its fork', async () => {
    const forged = bench.freshPath();
    await cp(sound, forged, { recursive: true });
    const before = await git(forged, 'log', '--all', '-p');
    await forge(forged);
    expect(await git(forged, 'log', '--all', '-p')).not.toBe(before);

    expect(await readAll(forged)).toEqual(await readAll(sound));
    await backend.indexHistory(forged, neverAborted);
    expect(await readAll(forged)).toEqual(await readAll(sound));
    const fork = bench.freshPath();
    await backend.fork(forged, fork, 'uuid', neverAborted);
    expect(await readAll(fork)).toEqual(await readAll(sound));
  });

  it('makes a repository not adoptable', async () => {
    const forged = bench.freshPath();
    await cp(sound, forged, { recursive: true });
    await backend.inspect(forged);
    await forge(forged);
    await expect(backend.inspect(forged)).rejects.toMatchObject({ kind: 'not-adoptable' });
  });
});

it('C4 import and pull fetch no replace refs', async () => {
  const source = await makeSource(bench, 'git');
  const first = await commitGit(source.directory, { a: 'true' });
  const replace = async (rawId: string) => {
    const tree = await git(source.directory, 'rev-parse', `${rawId}^{tree}`);
    await git(source.directory, 'replace', rawId, await git(source.directory, 'commit-tree', '-m', 'forged', tree));
    expect(await git(source.directory, 'log', '--format=%s')).toContain('forged');
  };
  await replace(first);
  const path = bench.freshPath();
  await backend.importFrom(path, 'uuid', remoteOf('git', source.url), neverAborted);
  const second = await commitGit(source.directory, { a: 'as true' });
  await replace(second);
  await backend.pull(path, remoteOf('git', source.url), neverAborted);
  expect(await git(path, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  const log = await backend.log(path, { withFiles: false });
  expect(log.map(({ rawId, message }) => [rawId, message.trim()])).toEqual([
    [first, 'change'],
    [second, 'change'],
  ]);
});

it('C4 a shallow clone is not adopted', async () => {
  const forged = bench.freshPath();
  await cp(sound, forged, { recursive: true });
  await writeFile(join(forged, 'shallow'), `${tip}\n`);
  expect(await git(forged, 'rev-list', '--count', 'main')).toBe('1');
  await expect(backend.inspect(forged)).rejects.toMatchObject({ kind: 'not-adoptable' });
});

it('a replace ref at the end of a large packed-refs is found', async () => {
  const repository = bench.freshPath();
  await cp(sound, repository, { recursive: true });
  const line = (name: string) => `${tip} refs/${name}\n`;
  const many = Array.from({ length: 20_000 }, (_, number) => line(`heads/${String(number).padStart(8, '0')}`));
  for (const shift of [0, 7, 30, 65]) {
    const packed = [line(`heads/${'x'.repeat(shift + 1)}`), ...many];
    await writeFile(join(repository, 'packed-refs'), [...packed, line('tags/replace')].join(''));
    await backend.inspect(repository);
    await writeFile(join(repository, 'packed-refs'), [...packed, line(`replace/${parent}`)].join(''));
    await expect(backend.inspect(repository)).rejects.toMatchObject({ kind: 'not-adoptable' });
  }
});

it('a repository whose refs/replace, grafts and shallow file have no entries is adoptable', async () => {
  const repository = bench.freshPath();
  await cp(sound, repository, { recursive: true });
  await mkdir(join(repository, 'refs/replace'));
  await mkdir(join(repository, 'info'), { recursive: true });
  await writeFile(join(repository, 'info/grafts'), '# none\n\n');
  await writeFile(join(repository, 'shallow'), '');
  await expect(backend.inspect(repository)).resolves.toEqual({ description: null });
});

it('C4 a forged commit-graph is removed at adoption, before anything is read, and written anew', async () => {
  const forged = bench.freshPath();
  await cp(sound, forged, { recursive: true });
  await forgeCommitGraph(forged, tip);
  expect(await git(forged, 'rev-list', '--count', 'main')).toBe('1');
  await backend.inspect(forged);
  await backend.replaceConfiguration(forged, 'uuid');
  expect(await readAll(forged)).toEqual(await readAll(sound));
  await backend.indexHistory(forged, neverAborted);
  expect(await git(forged, 'rev-list', '--count', 'main')).toBe('3');
  expect(await readAll(forged)).toEqual(await readAll(sound));
});
