import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryBudget } from '../process/memory-budget.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { commitAll, freshHg } from '../testing/odd-hg.ts';
import { plantHgPaths } from '../testing/plant-hg.ts';
import { hg, writeFiles } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

const options = { context: 3, ignoreWhitespace: false, binary: true };
const fileBytesMax = 64 * 1024 * 1024;
const extensionUrl = new URL('../../../mercurial/trunkline_changes.py', import.meta.url);

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

/** Expects that a changeset is refused as too large, and that no process has begun for that beside the kept ones. */
async function expectTooLarge(path: string, rawId: string): Promise<void> {
  const backend = bench.backends.hg;
  await backend.tip(path);
  const { started } = memoryBudget.counts;
  await expect(collectBytes(backend.diff(path, rawId, options))).rejects.toMatchObject({ kind: 'too-large' });
  await expect(collectBytes(backend.patch(path, rawId, options))).rejects.toMatchObject({ kind: 'too-large' });
  expect(memoryBudget.counts.started).toBe(started);
}

it('D9 a changeset of 200,001 paths is too large for a diff and a patch', async () => {
  const path = await freshHg(bench.freshPath());
  await expectTooLarge(path, await plantHgPaths(path, 200_001));
});

it('D9 a changed file of more than 64 MB is too large, also as the source of a copy, and its lines are not counted', async () => {
  const path = await freshHg(bench.freshPath());
  await writeFile(join(path, 'large'), '');
  await truncate(join(path, 'large'), fileBytesMax + 1);
  const added = await commitAll(path, 'a large file');
  await expectTooLarge(path, added);
  const stats = await bench.backends.hg.fileStats(path, [added], 10);
  expect(stats.get(added)).toEqual([{ path: 'large', change: 'added', linesAdded: null, linesRemoved: null }]);

  await writeFiles(path, { small: '1\n' });
  const beside = await commitAll(path, 'a small file');
  expect(String(await collectBytes(bench.backends.hg.diff(path, beside, options)))).toContain('+1\n');
  await hg(path, 'copy', 'large', 'copied');
  await writeFiles(path, { copied: '1\n' });
  await expectTooLarge(path, await commitAll(path, 'a small file that was copied from the large one'));
});

it('D8 the sizes of changed paths are looked up until the time is up, one at least', async () => {
  const path = await freshHg(bench.freshPath());
  await writeFiles(path, { a: '1', b: '22', c: '333' });
  await commitAll(path, 'three files');
  const extension = `--config=extensions.changes=${fileURLToPath(extensionUrl)}`;
  const sized = (first: number, seconds: number) =>
    hg(path, extension, 'trunkline-changes', '--rev=0', `--first=${first}`, '--paths-max=9', `--seconds=${seconds}`);
  expect(await Promise.all([sized(0, 0), sized(1, 0), sized(0, 60)])).toEqual(['3 1 1', '3 2 2', '3 3 3']);
});
