import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FileStat, VcsContent } from '../content.ts';
import { feedGit, fastImport } from '../testing/feed-git.ts';
import { commit, file, makeOddHistory, oddNames } from '../testing/odd-git.ts';
import { git } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let content: VcsContent;
let path = '';
let ids: Awaited<ReturnType<typeof makeOddHistory>>;

beforeAll(async () => {
  bench = await openWorkbench();
  content = bench.backends.git;
  path = await bare();
  ids = await makeOddHistory(path);
});
afterAll(() => bench.close());

async function bare(): Promise<string> {
  const repository = bench.freshPath();
  await bench.backends.git.init(repository, 'uuid');
  return repository;
}

function stat(
  name: string,
  change: FileStat['change'],
  linesAdded: number | null,
  linesRemoved: number | null,
): FileStat {
  return { path: name, change, linesAdded, linesRemoved };
}

const ofChange = [
  stat('binary', 'changed', null, null),
  stat('link', 'changed', 1, 1),
  stat('long', 'changed', 1, 1),
  stat('no newline', 'changed', 1, 1),
  stat('quo"te', 'removed', 0, 1),
  stat('re named', 'added', 1, 0),
  stat('removed', 'removed', 0, 1),
  stat('script', 'changed', 0, 0),
  stat('sub', 'changed', 1, 1),
  stat('\ufffdFF.bin', 'changed', 1, 1),
];

it('returns what each commit changed against its first parent, in the order of the ids', async () => {
  const wanted = [ids.empty, ids.change, ids.merge, ids.root];
  const stats = await content.fileStats(path, wanted, 100);
  expect([...stats.keys()]).toEqual(wanted);
  expect(stats.get(ids.empty)).toEqual([]);
  expect(stats.get(ids.merge)).toEqual([stat('side', 'added', 1, 0)]);
  expect(stats.get(ids.change)).toEqual(ofChange);
  const root = stats.get(ids.root) ?? [];
  expect(root).toHaveLength(oddNames.length * 2 + 8);
  for (const name of oddNames) expect(root).toContainEqual(stat(`dir/${name}/${name}`, 'added', 1, 0));
  expect(root).toContainEqual(stat('sub', 'added', 1, 0));
});

it('returns the first files of a commit that changed more', async () => {
  const stats = await content.fileStats(path, [ids.change, ids.root, ids.merge], 5);
  expect(stats.get(ids.change)).toEqual(ofChange.slice(0, 5));
  expect(stats.get(ids.merge)).toEqual([stat('side', 'added', 1, 0)]);
  expect(stats.get(ids.root)).toEqual(
    ['*gl?b[x]', '-dash', '...', ':(top)x', 'HEAD:x'].map((name) => stat(name, 'added', 1, 0)),
  );
  // With a limit of 24, the 25th name is left out: it is not valid UTF-8 and cannot be passed as an argument.
  const most = await content.fileStats(path, [ids.root], 24);
  expect(most.get(ids.root)).toHaveLength(24);
  expect(
    most
      .get(ids.root)
      ?.filter(({ linesAdded }) => linesAdded === null)
      .map((one) => one.path),
  ).toEqual(['binary']);
  expect(await content.fileStats(path, [ids.change], 0)).toEqual(new Map([[ids.change, []]]));
  expect(await content.fileStats(path, [], 5)).toEqual(new Map());
});

it('D9 handles 10 000 files, and names of 50 000 letters', async () => {
  const repository = await bare();
  const files = Array.from({ length: 10_000 }, (_, number) => file(`d${number % 100}/${number}`, `${number}\n`));
  await fastImport(repository, commit({ mark: 1, parents: [] }, files));
  const many = await git(repository, 'rev-parse', 'main');
  const blob = await feedGit(repository, ['hash-object', '-w', '--stdin'], '1\n');
  const names = Array.from({ length: 20 }, (_, number) => `${'x'.repeat(50_000)}${number}`);
  const tree = await feedGit(repository, ['mktree'], names.map((name) => `100644 blob ${blob}\t${name}\n`).join(''));
  const long = await git(repository, 'commit-tree', '-m', 'x', tree);
  const all = await content.fileStats(repository, [many], 10_000);
  expect(all.get(many)?.filter((one) => one.linesAdded === 1 && one.change === 'added')).toHaveLength(10_000);
  const some = await content.fileStats(repository, [many, long], 200);
  expect(some.get(many)).toEqual(all.get(many)?.slice(0, 200));
  expect(some.get(long)?.length).toBeGreaterThan(0);
});

it('fails with unknown-revision when a commit does not exist', async () => {
  const asked = content.fileStats(path, [ids.root, '1'.repeat(40)], 5);
  await expect(asked).rejects.toMatchObject({ kind: 'unknown-revision' });
});
