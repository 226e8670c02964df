import { expect, it } from 'vitest';
import { StorageDirectory, type KnownStorage } from './storage-directory.ts';

const storage = { state: 'active', weight: 100, capacityBytes: null, freeBytes: null } as const;

function setUp() {
  const clock = { time: 0, now: () => clock.time, async sleep() {} };
  const state = { names: ['a'], reads: 0, isAway: false };
  const read = async (): Promise<KnownStorage[]> => {
    state.reads += 1;
    await new Promise(setImmediate);
    if (state.isAway) throw new Error('away');
    return state.names.map((name) => ({ ...storage, id: `id of ${name}`, name }));
  };
  const directory = new StorageDirectory(read, clock);
  const names = async () => (await directory.all()).map(({ name }) => name);
  return { clock, state, directory, names };
}

it('calls share one read, and wait for the first one only', async () => {
  const { clock, state, directory, names } = setUp();
  expect(await Promise.all([names(), names()])).toEqual([['a'], ['a']]);
  expect(state.reads).toBe(1);
  clock.time = 5_000;
  state.names = ['a', 'b'];
  expect(await names()).toEqual(['a']);
  // Joins the read that the call before began.
  await directory.refreshed();
  expect(await names()).toEqual(['a', 'b']);
  expect(state.reads).toBe(2);
});

it('keeps the storages that were read while the database cannot be reached', async () => {
  const { clock, state, directory, names } = setUp();
  state.isAway = true;
  await expect(names()).rejects.toThrow('away');
  state.isAway = false;
  expect(await names()).toEqual(['a']);
  state.isAway = true;
  clock.time = 60_000;
  expect(await names()).toEqual(['a']);
  expect(directory.nameOf('id of a')).toBe('a');
  expect(directory.nameOf('id of b')).toBeNull();
});

it('asks again as long as the database knows no storage', async () => {
  const { state, names } = setUp();
  state.names = [];
  expect(await names()).toEqual([]);
  state.names = ['a'];
  expect(await names()).toEqual(['a']);
});
