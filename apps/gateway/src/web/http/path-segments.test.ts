import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathSegments, pathTo, withSingleSlashes } from './path-segments.ts';

describe('pathSegments', () => {
  it.each([
    ['/', []],
    ['/a', ['a']],
    ['/a/b/', ['a', 'b']],
    ['/a%20b?x=/y', ['a b']],
    ['/a/%2525', ['a', '%25']],
    ['/a/x%2Fy/c', ['a', 'x/y', 'c']],
    ['/%C3%A4', ['ä']],
    ['/caf%E9/%25E9', ['caf\ufffdE9', '%E9']],
  ])('splits %s into %j', (target, expected) => expect(pathSegments(target)).toEqual(expected));

  it.each(['/%', '/a//b', '/%00', '//', '/a/%zz'])('refuses %s', (target) => {
    expect(pathSegments(target)).toBeNull();
  });

  it('returns the segments that pathTo has joined', () => {
    const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\0/\ufffd]/.test(text));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
        expect(pathSegments(pathTo(...segments))).toEqual(segments);
      }),
    );
  });
});

describe('withSingleSlashes', () => {
  it.each([
    ['/a//b', '/a/b'],
    ['//_admin///users//?x=//y#//z', '/_admin/users/?x=//y#//z'],
    ['//', '/'],
    ['//evil.example/', '/evil.example/'],
    ['///evil.example', '/evil.example'],
    ['//\\evil.example', '/%5Cevil.example'],
    ['/a/..//evil.example', '/a/../evil.example'],
  ])('makes %s the path %s of the same host', (target, expected) => {
    expect(withSingleSlashes(target)).toBe(expected);
    expect(new URL(expected, 'http://here.example').host).toBe('here.example');
  });

  it.each(['/', '/a/b', '/a?//', '/a%2F%2Fb', 'http://other.example//a', '*'])('leaves %s', (target) => {
    expect(withSingleSlashes(target)).toBeNull();
  });
});
