import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsIndex, readPrediction, writePrediction } from './predicted-state.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-foreseen-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('is read for the generation that was looked at alone', async () => {
  expect(await readPrediction(directory, 3)).toBeNull();
  const tip = { rawId: 'a'.repeat(40), revision: 4, author: 'Ann', date: 1_000, message: 'x' };
  const predicted = { generation: 3, tip, sizeBytes: 4_096, recordedBytes: 4_096, needsIndex: false };
  await writePrediction(directory, predicted);
  expect(await readPrediction(directory, 3)).toEqual(predicted);
  expect(await readPrediction(directory, 4)).toBeNull();
});

it.each([
  [{ before: 0, after: 1, added: 1 }, false],
  [{ before: 255, after: 256, added: 1 }, true],
  [{ before: 256, after: 257, added: 1 }, false],
  // The history was written anew, and is as long as before.
  [{ before: 400, after: 400, added: 400 }, true],
  [{ before: 600, after: 300, added: 0 }, true],
])('has the history indexed: %o, %s', (commits, expected) => {
  expect(needsIndex(commits)).toBe(expected);
});
