import { describe, expect, it } from 'vitest';
import type { StorageState } from '@trunkline/contracts';
import { chooseCandidate, type Candidate } from './choose-storage.ts';
import { StorageFullError } from './storage-errors.ts';

const candidate = (id: string, weight: number, freeBytes: number, state: StorageState = 'ok'): Candidate => ({
  id,
  weight,
  health: { state, freeBytes, totalBytes: 1_000 },
});

/** Counts the choices over evenly spread samples. */
function share(candidates: readonly Candidate[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let sampled = 0; sampled < 1_000; sampled += 1) {
    const { id } = chooseCandidate(candidates, () => sampled / 1_000);
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

describe('chooseCandidate', () => {
  it('chooses in proportion to weight and free space', () => {
    expect(share([candidate('a', 100, 999), candidate('b', 300, 999)])).toEqual({ a: 250, b: 750 });
    expect(share([candidate('a', 100, 99), candidate('b', 100, 899)])).toEqual({ a: 100, b: 900 });
  });

  it('knows nothing of storages before their first probe, and goes by their weights', () => {
    const unknown = (id: string, weight: number): Candidate => ({ id, weight, health: null });
    expect(share([unknown('a', 100), unknown('b', 100)])).toEqual({ a: 500, b: 500 });
  });

  it('passes over a storage that is full or cannot be written', () => {
    expect(share([candidate('a', 1, 9), candidate('b', 1, 9, 'full'), candidate('c', 1, 9, 'failing')])).toEqual({
      a: 1_000,
    });
  });

  it('chooses one that cannot be written when no other has space, so that the work names the reason', () => {
    expect(share([candidate('a', 1, 9, 'full'), candidate('b', 1, 9, 'read-only')])).toEqual({ b: 1_000 });
  });

  it('chooses none when all are full', () => {
    expect(() => chooseCandidate([candidate('a', 1, 9, 'full')], () => 0)).toThrow(StorageFullError);
  });

  it('chooses the last one for the greatest draw', () => {
    expect(chooseCandidate([candidate('a', 1, 0), candidate('b', 1, 0)], () => 1 - Number.EPSILON / 2).id).toBe('b');
  });
});
