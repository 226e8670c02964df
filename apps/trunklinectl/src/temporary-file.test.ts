import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openTemporaryFile } from './temporary-file.ts';

it('reads what was written, as often as is wanted, without a warning', async () => {
  const warnings: Error[] = [];
  const take = (warning: Error) => void warnings.push(warning);
  process.on('warning', take);
  const file = await openTemporaryFile();
  onTestFinished(async () => {
    process.off('warning', take);
    await file.close();
  });
  const content = Buffer.alloc(600_000, 'content');
  await file.write(content, 5);
  for (let time = 0; time < 20; time += 1) {
    expect((await buffer(file.read(5, content.length))).equals(content)).toBe(true);
  }
  expect(await buffer(file.read(content.length, 1_000))).toHaveLength(5);
  expect(await buffer(file.read(0, 0))).toHaveLength(0);
  await nextTurn();
  expect(warnings).toEqual([]);
});
