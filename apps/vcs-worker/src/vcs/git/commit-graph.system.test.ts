import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from '../backend.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { fastImport } from '../testing/feed-git.ts';
import { cutParents, forgeCommitGraph } from '../testing/graph-files.ts';
import { commit, file } from '../testing/odd-git.ts';
import { commitGit, git, gitCommand } from '../testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let backend: VcsBackend;
beforeAll(async () => {
  bench = await openWorkbench();
  backend = bench.backends.git;
});
afterAll(() => bench.close());

async function makeRepository(stream = ''): Promise<string> {
  const path = bench.freshPath();
  await backend.init(path, 'uuid');
  await fastImport(path, stream);
  return path;
}

const chain = (marks: readonly number[]) =>
  marks.map((mark) => commit({ mark, parents: mark === 1 ? [] : [mark - 1] }, [file('a', `${mark}`)])).join('');

const graphs = (path: string) => join(path, 'objects/info/commit-graphs');
const layers = async (path: string) =>
  (await readFile(join(graphs(path), 'commit-graph-chain'), 'latin1')).trim().split('\n');
const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
const idsOf = async (path: string) => (await backend.log(path, { withFiles: false })).map(({ rawId }) => rawId);
const trueIds = async (path: string) =>
  (await git(path, '-c', 'core.commitGraph=false', 'rev-list', '--all', '--date-order', '--reverse')).split('\n');

describe('the commit-graph', () => {
  it('holds every commit, gets a layer for later commits, and passes git’s own verification', async () => {
    const path = await makeRepository(chain([1, 2, 3, 4]));
    await backend.indexHistory(path, neverAborted);
    const [first] = await layers(path);
    await fastImport(path, chain([1, 2, 3, 4, 5]));
    await backend.indexHistory(path, neverAborted);
    expect(await layers(path)).toEqual([first, expect.any(String)]);
    await backend.indexHistory(path, neverAborted);
    expect(await layers(path)).toHaveLength(2);
    await git(path, 'commit-graph', 'verify');
    await git(path, 'fsck', '--strict');
    expect(await idsOf(path)).toEqual(await trueIds(path));
  });

  it('is not written for a repository without commits', async () => {
    const path = await makeRepository();
    await backend.indexHistory(path, neverAborted);
    expect(await isThere(join(graphs(path), 'commit-graph-chain'))).toBe(false);
    expect(await idsOf(path)).toEqual([]);
  });

  it('is shared with a fork, whose later layers do not change the source', async () => {
    const source = await makeRepository(chain([1, 2, 3]));
    await backend.indexHistory(source, neverAborted);
    const fork = bench.freshPath();
    await backend.fork(source, fork, 'uuid', neverAborted);
    await backend.indexHistory(fork, neverAborted);
    expect(await layers(fork)).toEqual(await layers(source));
    const before = await trueIds(source);
    await fastImport(fork, chain([1, 2, 3, 4]));
    await backend.indexHistory(fork, neverAborted);
    expect(await idsOf(fork)).toEqual(await trueIds(fork));
    expect(await idsOf(source)).toEqual(before);
    await git(source, 'commit-graph', 'verify');
  });

  it('does not bring back commits that a pull has removed from a rewritten branch', async () => {
    const source = await makeSource(bench, 'git');
    const first = await commitGit(source.directory, { a: '1' });
    await commitGit(source.directory, { a: '2' });
    const path = bench.freshPath();
    await backend.importFrom(path, 'uuid', remoteOf('git', source.url), neverAborted);
    await backend.indexHistory(path, neverAborted);
    await git(source.directory, 'reset', '-q', '--hard', first);
    const rewritten = await commitGit(source.directory, { a: '3' });
    await backend.pull(path, remoteOf('git', source.url), neverAborted);
    // The commit-graph is stale until it is written again.
    expect(await idsOf(path)).toEqual([first, rewritten]);
    await backend.indexHistory(path, neverAborted);
    expect(await idsOf(path)).toEqual([first, rewritten]);
  });

  it('is read by the log and by look-ups of revisions, and not by content or the check of the tip', async () => {
    const path = await makeRepository(chain([1, 2, 3]));
    const tracing = join(bench.directory, 'tracing-git');
    const calls = join(bench.directory, 'calls');
    await writeFile(tracing, `#!/bin/sh\necho "$*" >> ${calls}\nexec ${gitCommand.join(' ')} "$@"\n`, { mode: 0o755 });
    const { git: traced } = await bench.open({ gitCommand: [tracing] });
    const readBy = async (act: () => Promise<unknown>) => {
      await writeFile(calls, '');
      await act();
      const lines = (await readFile(calls, 'utf8'))
        .split('\n')
        .filter((line) => line.includes('core.commitGraph=true'));
      return lines.length;
    };
    const pages = [
      () => traced.log(path, { withFiles: true }),
      () => traced.resolveRevision(path, 'tip'),
      () => traced.resolveRevision(path, 1),
    ];
    const rawId = await git(path, 'rev-parse', 'main');
    const options = { context: 3, ignoreWhitespace: false, binary: true };
    const others = [
      () => traced.tip(path),
      () => traced.nodes(path, rawId, ''),
      () => traced.fileStats(path, [rawId], 10),
      () => collectBytes(traced.diff(path, rawId, options)),
      () => collectBytes(traced.archive(path, rawId, { format: 'tar', prefix: 'x', subrepos: false })),
    ];
    for (const page of pages) expect(await readBy(page)).toBe(0);
    await backend.indexHistory(path, neverAborted);
    for (const page of pages) expect(await readBy(page)).toBeGreaterThan(0);
    for (const other of others) expect(await readBy(other)).toBe(0);
  });

  it('is removed when a date does not fit into its format, so that the log stays right', async () => {
    const stream = [99_999_999_999, 2 ** 34 + 9, 1_600_000_000].map((date, index) =>
      commit({ mark: index + 1, parents: index === 0 ? [] : [index] }, [file('a', `${date}`)]).replaceAll(
        /> \d+ \+0130/g,
        `> ${date} +0000`,
      ),
    );
    const path = await makeRepository(stream.join(''));
    await expect(backend.indexHistory(path, neverAborted)).rejects.toMatchObject({ kind: 'failed' });
    expect(await isThere(graphs(path))).toBe(false);
    expect(await idsOf(path)).toEqual(await trueIds(path));
  });
});

describe('C10 a damaged commit-graph', () => {
  const damage: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    'with other parents': async (path) => {
      const [layer] = await layers(path);
      const name = join(graphs(path), `graph-${layer}.graph`);
      const bytes = await readFile(name);
      cutParents(bytes, await git(path, 'rev-parse', 'main'));
      await rm(name);
      await writeFile(name, bytes);
      expect(await git(path, 'rev-list', '--count', 'main')).toBe('1');
    },
    'cut off': async (path) => {
      const [layer] = await layers(path);
      const name = join(graphs(path), `graph-${layer}.graph`);
      const bytes = await readFile(name);
      await rm(name);
      await writeFile(name, bytes.subarray(0, bytes.length >> 1));
    },
    'without a layer': async (path) => rm(join(graphs(path), `graph-${(await layers(path))[0]}.graph`)),
    'with a chain of nonsense': async (path) => {
      await rm(join(graphs(path), 'commit-graph-chain'));
      await writeFile(join(graphs(path), 'commit-graph-chain'), '../../../../etc/passwd\n\n\0');
    },
    'as a directory': async (path) => {
      await rm(join(graphs(path), 'commit-graph-chain'));
      await mkdir(join(graphs(path), 'commit-graph-chain'));
    },
    'of another program beside it': (path) => writeFile(join(path, 'objects/info/commit-graph'), 'CGPH\u0001\u0001'),
  };

  it.each(Object.entries(damage))('%s does not change the log, and is then written anew', async (_, spoil) => {
    const path = await makeRepository(chain([1, 2, 3, 4, 5, 6]));
    const all = await trueIds(path);
    await backend.indexHistory(path, neverAborted);
    expect(await idsOf(path)).toEqual(all);
    await spoil(path);
    expect(await idsOf(path)).toEqual(all);
    const fork = bench.freshPath();
    await backend.fork(path, fork, 'uuid', neverAborted);
    expect(await idsOf(fork)).toEqual(all);
    for (const one of [path, fork]) {
      await backend.indexHistory(one, neverAborted);
      await git(one, 'commit-graph', 'verify');
      expect(await idsOf(one)).toEqual(all);
    }
  });

  it('does not hide a commit that cannot be read', async () => {
    const path = await makeRepository(chain([1, 2, 3]));
    const [first = ''] = await trueIds(path);
    await backend.indexHistory(path, neverAborted);
    await rm(join(path, 'objects', first.slice(0, 2), first.slice(2)));
    await expect(backend.tip(path)).rejects.toMatchObject({ kind: 'failed' });
    await expect(backend.log(path, { withFiles: false })).rejects.toMatchObject({ kind: 'failed' });
    await expect(backend.changeset(path, first, { withFiles: false })).rejects.toMatchObject({ kind: 'failed' });
  });
});

describe('writing the commit-graph', () => {
  it('leaves no file when it fails, does not affect the log, and succeeds the next time', async () => {
    const path = await makeRepository(chain([1, 2, 3]));
    const failing = join(bench.directory, 'failing-git');
    await writeFile(failing, `#!/bin/sh\ncase "$*" in *verify*) exit 1;; esac\nexec ${gitCommand.join(' ')} "$@"\n`, {
      mode: 0o755,
    });
    const { git: other } = await bench.open({ gitCommand: [failing] });
    await expect(other.indexHistory(path, neverAborted)).rejects.toMatchObject({ kind: 'failed' });
    expect(await isThere(graphs(path))).toBe(false);
    expect(await idsOf(path)).toEqual(await trueIds(path));
    await backend.indexHistory(path, neverAborted);
    expect(await layers(path)).toHaveLength(1);
  });

  it('C9 is not blocked by the lock of a dead process', async () => {
    const path = await makeRepository(chain([1, 2, 3]));
    await mkdir(graphs(path), { recursive: true });
    await writeFile(join(graphs(path), 'commit-graph-chain.lock'), '');
    await writeFile(join(graphs(path), 'tmp_graph_x'), 'x');
    await backend.indexHistory(path, neverAborted);
    expect(await layers(path)).toHaveLength(1);
    await fastImport(path, chain([1, 2, 3, 4]));
    await writeFile(join(graphs(path), 'commit-graph-chain.lock'), '');
    await backend.recover(path);
    await backend.indexHistory(path, neverAborted);
    expect(await idsOf(path)).toEqual(await trueIds(path));
    expect(
      (await readdir(graphs(path))).filter((name) => !/^(graph-.*\.graph|commit-graph-chain)$/.test(name)),
    ).toEqual([]);
  });

  it('D12 ends when the operation is cancelled', async () => {
    const path = await makeRepository(chain([1, 2, 3]));
    await expect(backend.indexHistory(path, AbortSignal.abort())).rejects.toMatchObject({ kind: 'cancelled' });
    expect(await isThere(graphs(path))).toBe(false);
  });

  it('does not reuse a forged commit-graph that another program has written', async () => {
    const path = await makeRepository(chain([1, 2, 3]));
    await forgeCommitGraph(path, await git(path, 'rev-parse', 'main'));
    await backend.replaceConfiguration(path, 'uuid');
    await backend.indexHistory(path, neverAborted);
    expect(await git(path, 'rev-list', '--count', 'main')).toBe('3');
  });
});
