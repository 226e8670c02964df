import type { Lane } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { laneSizes } from './lane-sizes.ts';
import { createLaneSlots, type Slot } from './lane-slots.ts';

const slotsOf = (lane: Lane, cores: number) => {
  const { slots, ...limits } = laneSizes(cores)[lane];
  return createLaneSlots(slots, limits);
};

/** Returns the slots that a caller gets, of one repository or of many, without any of them being given back. */
function taken(slots: ReturnType<typeof slotsOf>, caller: string, repositoryOf: (nth: number) => string): Slot[] {
  const all: Slot[] = [];
  for (let slot = slots.tryTake(caller); slot; slot = slots.tryTake(caller)) {
    if (!slot.claim(repositoryOf(all.length))) {
      slot.end();
      return all;
    }
    all.push(slot);
  }
  return all;
}

describe.each([1, 2, 16])('laneSizes of %i cores', (cores) => {
  it.each<[Lane, number, number]>([
    ['download', 16, 4],
    ['wire', 32, 16],
    ['wire-push', 4, 2],
  ])('E6 D9 leave others the rest of the lane %s', (lane, ofAll, ofOne) => {
    const slots = slotsOf(lane, cores);
    expect(taken(slots, 'greedy', (nth) => `repository ${nth}`)).toHaveLength(ofAll * cores);
    expect(slots.tryTake('other')).not.toBeNull();
    const busy = slotsOf(lane, cores);
    expect(taken(busy, 'greedy', () => 'repository')).toHaveLength(ofOne * cores);
    expect(busy.tryTake('other')?.claim('repository')).toBe(true);
  });

  it('E6 leave others half of what forks may keep of the lane storage', () => {
    const slots = slotsOf('storage', cores);
    const kept = (caller: string) => {
      const all: Slot[] = [];
      for (let slot = slots.tryTake(caller); slot?.claimToKeep(); slot = slots.tryTake(caller)) all.push(slot);
      return all.length;
    };
    expect(kept('greedy')).toBe(2 * cores);
    expect(kept('other')).toBe(2 * cores - 1);
    expect(kept('third')).toBe(1);
  });

  it('E6 D9 leave others half of the lane transfer', () => {
    const slots = slotsOf('transfer', cores);
    expect(taken(slots, 'greedy', (nth) => `repository ${nth}`)).toHaveLength(cores);
    expect(slots.tryTake('other')).not.toBeNull();
  });
});
