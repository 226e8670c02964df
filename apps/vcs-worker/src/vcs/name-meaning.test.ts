import { beforeAll, describe, expect, it } from 'vitest';
import { meaningOf, namedBeginning } from './name-meaning.ts';
import { SortedRefs } from './sorted-refs.ts';

const id = 'e'.repeat(40);
const named = (...names: string[]) => new Map(names.map((name) => [name, id]));

describe('meaningOf', () => {
  let refs: SortedRefs;
  beforeAll(async () => {
    refs = await SortedRefs.of({
      bookmarks: named('dup', 'abcd'),
      branches: named('dup', '2', 'HEAD', id, 'main', 'refs/heads/main'),
      closedBranches: named('branch:old', 'old'),
      tags: named('dup', '2', 'v1', 'a/b', 'a/b/c'),
    });
  });
  const asGit = (text: string) => {
    const { takenFor, others } = meaningOf('git', text, refs);
    return [takenFor, ...others.map(({ kind, name }) => `${kind} ${name}`)];
  };
  const asHg = (text: string) => {
    const { takenFor, others } = meaningOf('hg', text, refs);
    return [takenFor, ...others.map(({ kind, name }) => `${kind} ${name}`)];
  };

  it('numbers, ids and words for the newest changeset precede the references of that name', () => {
    expect(asGit('2')).toEqual(['number', 'branch 2', 'tag 2']);
    expect(asGit('HEAD')).toEqual(['tip', 'branch HEAD']);
    expect(asGit(id)).toEqual(['id', `branch ${id}`]);
    expect(asGit('7')).toEqual(['number']);
  });

  it('a name is the first kind that has it, and the others are named', () => {
    expect(asGit('dup')).toEqual(['branch', 'tag dup']);
    expect(asHg('dup')).toEqual(['bookmark', 'branch dup', 'tag dup']);
    expect(meaningOf('hg', 'abcd', refs)).toEqual({ takenFor: 'bookmark', others: [], prefix: 'abcd' });
    expect(meaningOf('git', 'abce', refs)).toEqual({ takenFor: null, others: [], prefix: null });
    expect(asHg('old')).toEqual(['branch']);
    expect(asGit('none')).toEqual([null]);
  });

  it('a full name precedes references that are called like it', () => {
    expect(asGit('refs/heads/main')).toEqual(['full name', 'branch refs/heads/main']);
    expect(asGit('refs/heads/none')).toEqual([null]);
    expect(asHg('branch:old')).toEqual(['full name', 'branch branch:old']);
    expect(asHg('refs/heads/main')).toEqual(['branch']);
  });

  it.each([
    ['a/b/f', 'a/b'],
    ['a/b/c/d/f', 'a/b/c'],
    ['a/b', null],
    ['refs/heads/2/f', 'refs/heads/2'],
    ['main/f', null],
    ['/a/b/f', null],
    ['a//b/f', null],
  ])('a path such as %s begins with the name %j', (text, expected) => {
    expect(namedBeginning('git', text, refs)).toBe(expected);
  });
});
