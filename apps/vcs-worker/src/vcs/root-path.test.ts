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
  ])('reads %j as %j', (root, path) => {
    expect(normalizeRoot(root)).toBe(path);
  });

  it.each(['.', '..', 'docs/..', '../docs', './docs', 'a//b', 'docs//', 'a/./b', 'a\nb', 'a\0', 'a\u007f', '\t'])(
    'D2 refuses %j',
    (root) => {
      expect(() => normalizeRoot(root)).toThrow(expect.objectContaining({ kind: 'unknown-path' }));
    },
  );
});
