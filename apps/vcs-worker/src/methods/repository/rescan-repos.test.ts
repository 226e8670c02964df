import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { StoredAt } from '../../domain/repo/storage-path-store.ts';
import { findMissing } from './rescan-repos.ts';

const repositories = Array.from({ length: 100 }, (_, id): StoredAt => {
  return { id, name: `r${id}`, state: 'ready', storagePath: `path-${id}` };
});

it('looks for eight directories at once, and returns the repositories without one in order', async () => {
  let atOnce = 0;
  let most = 0;
  const storage = {
    async exists(storagePath: string) {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await turn();
      atOnce -= 1;
      return !storagePath.endsWith('7');
    },
  };
  const missing = await findMissing(storage, repositories);
  expect(missing.map(({ id }) => id)).toEqual([7, 17, 27, 37, 47, 57, 67, 77, 87, 97]);
  expect(most).toBe(8);
});

it('throws the error of a storage that is away, when no look is under way any more', async () => {
  let atOnce = 0;
  const storage = {
    async exists() {
      atOnce += 1;
      await turn();
      atOnce -= 1;
      throw new Error('away');
    },
  };
  await expect(findMissing(storage, repositories)).rejects.toThrow('away');
  expect(atOnce).toBe(0);
});
