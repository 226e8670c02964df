import { describe, expect, it } from 'vitest';
import { levelName, type LevelName, levels, reaches } from './rights.ts';

const ladder: readonly LevelName[] = ['none', 'read', 'write', 'admin'];

describe('the ladder of levels', () => {
  it('has a name for every stored level', () => {
    expect(Object.keys(levels).toSorted()).toEqual(ladder.toSorted());
    for (const name of ladder) expect(levelName(levels[name])).toBe(name);
  });

  it.each([2, -1, 5, Number.NaN])('reads %d, which is no level, as none', (value) => {
    expect(levelName(value)).toBe('none');
  });

  it.each(ladder.flatMap((held, i) => ladder.map((wanted, j) => [held, wanted, i >= j] as const)))(
    'level %s is at least level %s: %s',
    (held, wanted, expected) => {
      expect(reaches(levels[held], wanted)).toBe(expected);
    },
  );
});
