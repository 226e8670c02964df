import { afterEach, expect, it } from 'vitest';
import { timed, timingsTable } from './timed.ts';

afterEach(() => performance.clearMeasures());

const namesIn = (table: string) => [...table.matchAll(/^ +\d+\.\d +\d+\.\d {3}(.*)$/gm)].map(([, name]) => name);

it('lists steps in the order in which they began, also one that has failed', async () => {
  const outer = timed('outer', async () => {
    await expect(timed('failed', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    return 'done';
  });
  expect(await outer).toBe('done');
  expect(namesIn(timingsTable())).toEqual(['outer', 'failed']);
});
