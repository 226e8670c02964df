import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeRoot } from './root-path.ts';

describe('normalizeRoot', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['///', ''],
    ['docs', 'docs'],
    ['/docs', 'docs'],
    ['//docs/', 'docs'],
    ['docs/a b/é', 'docs/a b/é'],
    ['-docs', '-docs'],
    ['path:docs', 'path:docs'],
    ['...', '...'],
    ['a\nb/\t\u007f', 'a\nb/\t\u007f'],
    ['caf\ufffdE9', 'caf\ufffdE9'],
    ['caf\ufffdC3\ufffdA9', 'café'],
    ['\ufffd', '\ufffdEF\ufffdBF\ufffdBD'],
    ['\ufffd2E\ufffd2E', '\ufffdEF\ufffdBF\ufffdBD2E\ufffdEF\ufffdBF\ufffdBD2E'],
  ])('reads %j as %j', (root, path) => {
    expect(normalizeRoot(root)).toBe(path);
  });

  it.each(['.', '..', 'docs/..', '../docs', './docs', 'a//b', 'docs//', 'a/./b', 'a\0'])('D2 refuses %j', (root) => {
    expect(() => normalizeRoot(root)).toThrow(expect.objectContaining({ kind: 'unknown-path' }));
  });

  const normalizedOrRefused = (root: string) => {
    try {
      return normalizeRoot(root);
    } catch (error) {
      return error;
    }
  };

  it('D2 an accepted path stays below the root, and does not change when it is normalised again', () => {
    const piece = fc.constantFrom(
      'a',
      'é',
      '-',
      '.',
      '..',
      '...',
      '/',
      '//',
      ' ',
      '\\',
      '\n',
      '\0',
      '\u007f',
      'path:',
      '\ufffd',
      'C3',
      '2E',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = normalizedOrRefused(pieces.join(''));
        const refusal = expect.objectContaining({ kind: 'unknown-path' });
        expect(path).toEqual(typeof path === 'string' ? normalizeRoot(path) : refusal);
        const segments = typeof path === 'string' && path !== '' ? path.split('/') : [];
        for (const segment of segments) expect(segment).not.toMatch(/^\.{0,2}$|\0/);
      }),
      { numRuns: 1_000 },
    );
  });
});
