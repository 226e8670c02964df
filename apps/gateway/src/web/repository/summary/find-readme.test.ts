import { describe, expect, it } from 'vitest';
import { findReadme } from './find-readme.ts';

const files = (...names: string[]) => names.map((name) => ({ name, kind: 'file' }));

describe('findReadme', () => {
  it.each([
    [['README', 'README.md', 'a'], 'README.md'],
    [['README.rst', 'readme.txt'], 'readme.txt'],
    [['README.rst'], 'README.rst'],
    [['README'], 'README'],
    [['ReadMe.MarkDown', 'README.html'], 'ReadMe.MarkDown'],
    [['readmeplease.md', 'a-readme', 'README.'], null],
    [[], null],
  ])('of %j takes %s', (names, readme) => {
    expect(findReadme(files(...names))).toBe(readme);
  });

  it('takes no directory and no link', () => {
    const entries = ['dir', 'symlink', 'submodule'].map((kind) => ({ name: 'README.md', kind }));
    expect(findReadme(entries)).toBeNull();
  });
});
