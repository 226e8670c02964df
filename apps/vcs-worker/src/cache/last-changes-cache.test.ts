import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LastChanges } from '../vcs/last-changes.ts';
import { GenerationCache } from './generation-cache.ts';
import { LastChangesCache } from './last-changes-cache.ts';

const repository = { uuid: 'u', generation: 1 };
const value: LastChanges = { newest: null, entries: new Map() };
const live = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function setUp(behindMax = 2) {
  const bounds = { pageMsMax: 2_000, behindMsMax: 60_000, behindMax };
  const cache = new LastChangesCache(new GenerationCache(1e6), bounds);
  const signals = new Map<string, AbortSignal>();
  const finish = new Map<string, (read: LastChanges) => void>();
  const read = (directory: string, { uuid } = repository, signal = live) =>
    cache.get(
      { uuid, generation: 1 },
      [directory],
      (shared) => {
        signals.set(uuid + directory, shared);
        return new Promise((resolve, reject) => {
          finish.set(uuid + directory, resolve);
          shared.addEventListener('abort', () => reject(shared.reason));
        });
      },
      signal,
    );
  const isRead = (name: string) => signals.get(name)?.aborted === false;
  return { cache, read, finish, isRead };
}

const never = () => Promise.reject(new Error('the value is there'));

it('what is read in time is returned, and kept', async () => {
  const { cache, read, finish } = setUp();
  const asked = read('src');
  finish.get('usrc')?.(value);
  expect(await asked).toBe(value);
  expect(await cache.get(repository, ['src'], never, live)).toBe(value);
  expect(vi.getTimerCount()).toBe(0);
});

it('D12 a page waits for two seconds, and the next one finds what was read meanwhile', async () => {
  const { cache, read, finish, isRead } = setUp();
  const asked = read('src');
  vi.advanceTimersByTime(2_000);
  expect(await asked).toBeNull();
  expect(isRead('usrc')).toBe(true);
  finish.get('usrc')?.(value);
  await turn();
  expect(await cache.get(repository, ['src'], never, live)).toBe(value);
});

it('E6 one read of a repository goes on without its page, and a few of all', async () => {
  const { read, isRead, finish } = setUp(2);
  const asked = [
    read('one'),
    read('two'),
    read('one', { uuid: 'v', generation: 1 }),
    read('one', { uuid: 'w', generation: 1 }),
  ];
  vi.advanceTimersByTime(2_000);
  expect(await Promise.all(asked)).toEqual([null, null, null, null]);
  expect(['uone', 'utwo', 'vone', 'wone'].map(isRead)).toEqual([true, false, true, false]);
  finish.get('uone')?.(value);
  await turn();
  const again = read('two');
  vi.advanceTimersByTime(2_000);
  expect(await again).toBeNull();
  expect(isRead('utwo')).toBe(true);
});

it('D12 a read ends with its client before it goes on, and when the worker stops', async () => {
  const { cache, read, isRead } = setUp();
  const gone = new AbortController();
  const left = read('left', repository, gone.signal);
  gone.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(isRead('uleft')).toBe(false);
  const asked = read('src');
  vi.advanceTimersByTime(2_000);
  expect(await asked).toBeNull();
  cache.close();
  expect(isRead('usrc')).toBe(false);
});

it('an error is that of the read, and not kept', async () => {
  const { cache } = setUp();
  await expect(cache.get(repository, [''], () => Promise.reject(new Error('damaged')), live)).rejects.toThrow(
    'damaged',
  );
  expect(await cache.get(repository, [''], async () => value, live)).toBe(value);
});
