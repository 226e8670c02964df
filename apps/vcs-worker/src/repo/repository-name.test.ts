import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupPaths, lastSegment, repositoryNameProblem } from './repository-name.ts';

describe('repositoryNameProblem', () => {
  it.each(['a', 'a/b/c', 'ünï', 'a.b_c-d', '1a', '_admin2', 'x'.repeat(255)])('accepts %j', (name) => {
    expect(repositoryNameProblem(name)).toBeUndefined();
  });

  it.each([
    '',
    'x'.repeat(256),
    '_admin',
    '_12/a',
    'a//b',
    '../a',
    'a/-b',
    '7',
    'a.git',
    'a.',
    'rm__20260101_x',
    'a\nb',
  ])('C1 refuses %j', (name) => {
    expect(repositoryNameProblem(name)).toBeTypeOf('string');
  });

  it('E10 takes no time over long hostile names', () => {
    const started = performance.now();
    for (const unit of ['a/', '.', 'a.git/', 'ü\u0301']) repositoryNameProblem(unit.repeat(25_000));
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('what is accepted is a safe path: no segment that a file system would take for something else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (name) => {
        fc.pre(repositoryNameProblem(name) === undefined);
        expect(name).not.toMatch(/(^|\/)(\.|-)|\/\/|\\|\0|(^|\/)\.\.?($|\/)|\.(git|hg)($|\/)/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('groupPaths', () => {
  it('names every group from the root to the leaf', () => {
    expect(groupPaths('a/b/c')).toEqual(['a', 'a/b']);
    expect(groupPaths('a')).toEqual([]);
    expect(lastSegment('a/b/c')).toBe('c');
  });
});
