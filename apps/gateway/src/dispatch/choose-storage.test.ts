import { describe, expect, it } from 'vitest';
import { chooseAny, chooseForNew } from './storage-route.ts';
import type { KnownStorage } from './storage-directory.ts';

const gb = 1_000_000_000;

function storage(name: string, more: Partial<KnownStorage> = {}): KnownStorage {
  return { id: name, name, state: 'active', weight: 100, capacityBytes: 100 * gb, freeBytes: 50 * gb, ...more };
}

/** Returns how often each storage is chosen when the random numbers are spread evenly. */
function shares(storages: KnownStorage[], freeBytesMin = gb): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let sample = 0; sample < 100; sample += 1) {
    const name = chooseForNew(storages, () => sample / 100, freeBytesMin)?.name ?? 'none';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('chooseForNew', () => {
  it('chooses storages as often as weight and free space say', () => {
    expect(shares([storage('a'), storage('b')])).toEqual({ a: 50, b: 50 });
    expect(shares([storage('a'), storage('b', { weight: 300 })])).toEqual({ a: 25, b: 75 });
    expect(shares([storage('a', { freeBytes: 10 * gb }), storage('b', { freeBytes: 90 * gb })])).toEqual({
      a: 10,
      b: 90,
    });
  });

  it('chooses no storage that is full, has no weight or takes no new repositories', () => {
    const closed = [
      storage('full', { freeBytes: 0.9 * gb }),
      storage('nearly full', { capacityBytes: 1_000 * gb, freeBytes: 9 * gb }),
      storage('without weight', { weight: 0 }),
      ...(['draining', 'read-only', 'offline', 'lost'] as const).map((state) => storage(state, { state })),
    ];
    expect(shares(closed)).toEqual({ none: 100 });
    expect(shares([...closed, storage('a', { freeBytes: null })])).toEqual({ a: 100 });
    expect(shares([storage('full for some', { freeBytes: 3 * gb })], 4 * gb)).toEqual({ none: 100 });
  });

  it('takes no storage for full when the limit is off', () => {
    expect(shares([storage('almost full', { freeBytes: 1 })], 0)).toEqual({ 'almost full': 100 });
  });
});

it('chooseAny leaves out storages that have no workers', () => {
  const storages = [
    storage('a', { state: 'offline' }),
    storage('b', { state: 'read-only' }),
    storage('c', { state: 'lost' }),
  ];
  expect([0, 0.5, 0.99].map((random) => chooseAny(storages, () => random)?.name)).toEqual(['b', 'b', 'b']);
  expect(chooseAny([], () => 0)).toBeUndefined();
});
