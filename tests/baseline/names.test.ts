import { expect, it } from 'vitest';
import { compareNames, formatNames, parseNames } from './names.mjs';

const test = (name: string, tier = 'quick') => ({ tier, project: 'api', name });

it('reads the names that it wrote, of several lines too', () => {
  const names = [test('a "quoted" name'), test('two\nlines', 'long')];
  expect(parseNames(formatNames(names))).toEqual(names.toReversed());
});

it('tells names that are gone from new ones, whatever their tier, and counts a name of several tests', () => {
  const before = [test('stays'), test('moves'), test('twice'), test('twice'), test('goes')];
  const after = [test('stays'), test('moves', 'long'), test('twice'), test('comes')];
  const { gone, added, counts } = compareNames(before, after);
  expect(gone).toEqual(['api: twice', 'api: goes']);
  expect(added).toEqual(['api: comes']);
  expect([...counts]).toEqual([
    ['quick api', 3],
    ['long api', 1],
  ]);
});
