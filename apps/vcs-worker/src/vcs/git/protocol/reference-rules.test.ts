import { describe, expect, it } from 'vitest';
import type { NameChange } from '../../push.ts';
import { nameConflict } from './reference-rules.ts';

const id = 'a'.repeat(40);
const create = (name: string): NameChange => ({ name, from: null, to: id });

describe('nameConflict', () => {
  it.each<[string, readonly string[], readonly NameChange[], readonly [string, string, boolean]]>([
    ['below one that is there', ['a'], [create('a/b')], ['a/b', 'a', true]],
    ['far below one that is there', ['r/a'], [create('r/x'), create('r/a/b/c')], ['r/a/b/c', 'r/a', true]],
    ['above one that is there', ['r/a/b/c'], [create('r/a')], ['r/a', 'r/a/b/c', true]],
    ['below another new one', ['r/x'], [create('r/a'), create('r/a/b')], ['r/a/b', 'r/a', false]],
    [
      'below one that goes at the same time',
      ['r/a'],
      [{ name: 'r/a', from: id, to: null }, create('r/a/b')],
      ['r/a/b', 'r/a', true],
    ],
  ])('finds a new reference %s', (_what, existing, changes, [created, other, isThere]) => {
    expect(nameConflict(existing, changes)).toEqual({ created, other, isThere });
  });

  it.each<[string, readonly string[], readonly NameChange[]]>([
    ['names that only begin alike', ['r/a', 'r/ab/c'], [create('r/a-b'), create('r/ab/d'), create('r/abc')]],
    ['references that are changed or deleted', ['r/a', 'r/b'], [{ name: 'r/a', from: id, to: id }]],
    ['a deletion above another reference', ['r/a/b'], [{ name: 'r/a', from: id, to: null }]],
  ])('accepts %s', (_what, existing, changes) => {
    expect(nameConflict(existing, changes)).toBeNull();
  });
});
