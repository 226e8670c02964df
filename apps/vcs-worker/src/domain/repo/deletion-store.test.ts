import { describe, expect, it } from 'vitest';
import { waitingForOthers } from './deletion-store.ts';

const member = (id: number, forkOfId: number | null, storageId: string) => ({
  id,
  forkOfId,
  storageId,
  name: `r${id}`,
});
const waiting = (...family: ReturnType<typeof member>[]) =>
  [...waitingForOthers(family, (id) => id === 'there')].toSorted((one, other) => one - other);

describe('waitingForOthers', () => {
  it('is nobody when all lie here', () => {
    expect(waiting(member(1, null, 'here'), member(2, 1, 'here'))).toEqual([]);
  });

  it('is a fork that lies elsewhere, and all above it, but no fork beside or below it', () => {
    const family = [
      member(1, null, 'here'),
      member(2, 1, 'here'),
      member(3, 1, 'here'),
      member(4, 2, 'there'),
      member(5, 4, 'here'),
    ];
    expect(waiting(...family)).toEqual([1, 2, 4]);
  });

  it('is not a repository above the one that is deleted', () => {
    expect(waiting(member(7, 3, 'here'), member(8, 7, 'there'))).toContain(7);
  });
});
