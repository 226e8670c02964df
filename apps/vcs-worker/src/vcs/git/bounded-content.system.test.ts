import { afterAll, beforeAll, expect, it } from 'vitest';
import { feedGit } from '../testing/feed-git.ts';
import { type PlantedNode, plantGit, plantManyPaths } from '../testing/plant-git.ts';
import { descendantsOf } from '../testing/processes.ts';
import { git } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';
import { collectBytes } from '../../collect-bytes.ts';

const options = { context: 3, ignoreWhitespace: false, binary: true };
const archive = { format: 'tar', prefix: 'x', subrepos: false } as const;

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

async function planted(tree: readonly (readonly [string, PlantedNode])[], message = 'planted') {
  const path = bench.freshPath();
  await bench.backends.git.init(path, 'uuid');
  await plantGit(path, tree);
  const root = await git(path, `--git-dir=${path}`, 'rev-parse', 'main^{tree}');
  return { path, rawId: await feedGit(path, ['commit-tree', root], message) };
}

it('D9 a commit of a billion paths is too large for a diff, a patch and counts of lines', async () => {
  const path = bench.freshPath();
  await bench.backends.git.init(path, 'uuid');
  const rawId = await plantManyPaths(path);
  const before = await descendantsOf(process.pid);
  const backend = bench.backends.git;
  await expect(collectBytes(backend.diff(path, rawId, options))).rejects.toMatchObject({ kind: 'too-large' });
  await expect(collectBytes(backend.patch(path, rawId, options))).rejects.toMatchObject({ kind: 'too-large' });
  await expect(backend.fileStats(path, [rawId], 10)).rejects.toMatchObject({ kind: 'too-large' });
  // Only kept processes have been started.
  expect((await descendantsOf(process.pid)).length - before.length).toBeLessThanOrEqual(2);
});

it('D9 a changed file of more than 64 MB is too large for a diff or patch with its content', async () => {
  const { path, rawId } = await planted([['large', { file: 'x'.repeat(65 * 1024 * 1024) }]]);
  const { git: backend } = bench.backends;
  await expect(collectBytes(backend.diff(path, rawId, options))).rejects.toMatchObject({ kind: 'too-large' });
  await expect(collectBytes(backend.patch(path, rawId, options))).rejects.toMatchObject({ kind: 'too-large' });
  const named = String(await collectBytes(backend.diff(path, rawId, { ...options, binary: false })));
  expect(named).toContain('Binary files /dev/null and b/large differ');
});

it('compares commits that have most of a billion paths in common', async () => {
  const path = bench.freshPath();
  await bench.backends.git.init(path, 'uuid');
  const parent = await plantManyPaths(path);
  const tree = await git(path, `--git-dir=${path}`, 'rev-parse', `${parent}^{tree}`);
  const same = await feedGit(path, ['commit-tree', tree, '-p', parent], 'same');
  expect(String(await collectBytes(bench.backends.git.diff(path, same, options)))).toBe('');
});

const format = '$Format:%B$';
const attributes = ['.gitattributes', { file: 'a export-subst\n' }] as const;

it('D9 an archive that placeholders would fill is too large', async () => {
  const { path, rawId } = await planted([attributes, ['a', { file: format.repeat(3_000) }]], 'x'.repeat(1_000_000));
  await expect(collectBytes(bench.backends.git.archive(path, rawId, archive))).rejects.toMatchObject({
    kind: 'too-large',
  });
});

it('D9 one placeholder over many lines is too large, too', async () => {
  const file = `$Format:\n${'%B\n'.repeat(3_000)}$`;
  const { path, rawId } = await planted([attributes, ['a', { file }]], 'x'.repeat(1_000_000));
  await expect(collectBytes(bench.backends.git.archive(path, rawId, archive))).rejects.toMatchObject({
    kind: 'too-large',
  });
});

it('placeholders of ordinary files are filled in, and left alone without the attribute', async () => {
  const { path, rawId } = await planted(
    [attributes, ['a', { file: `${format}\n` }], ['b', { file: `${format}\n` }]],
    'note',
  );
  const bytes = String(await collectBytes(bench.backends.git.archive(path, rawId, archive)));
  expect([bytes.includes('note'), bytes.includes(format)]).toEqual([true, true]);
  const many = await planted([['a', { file: format.repeat(3_000) }]], 'x'.repeat(1_000_000));
  expect(String(await collectBytes(bench.backends.git.archive(many.path, many.rawId, archive)))).toContain(format);
});
