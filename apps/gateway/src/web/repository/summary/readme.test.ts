import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findReadme } from './readme.tsx';

const files = (...names: string[]) => names.map((name) => ({ name, kind: 'file' }));

/** One name of each rank, the preferred first. */
const preferred = [
  'README.md',
  'readme.markdown',
  'README.mdown',
  'ReadMe.mkd',
  'README.rst',
  'README.adoc',
  'README.asciidoc',
  'README.txt',
  'README.text',
  'README',
  'README.org',
  'README.de.md',
];

describe('findReadme', () => {
  it.each([
    [['README', 'README.md', 'a'], 'README.md'],
    [['README.de.md', 'README.md'], 'README.md'],
    [['README.dialects.rst', 'README.rst', 'README.unittests.rst'], 'README.rst'],
    [['README.rst', 'readme.txt'], 'README.rst'],
    [['README', 'README.zh-CN.md'], 'README'],
    [['README.cmake', 'README'], 'README'],
    [['README.org', 'README.de.md'], 'README.org'],
    [['README.fr.txt', 'README.en.rst', 'README.de.md'], 'README.de.md'],
    [['README.rst'], 'README.rst'],
    [['README'], 'README'],
    [['ReadMe.MarkDown', 'README.html'], 'ReadMe.MarkDown'],
    [['readme.md', 'README.md', 'Readme.md'], 'README.md'],
    [['readmeplease.md', 'a-readme', 'README.', 'README..'], null],
    [[], null],
  ])('finds in %j the README %s', (names, readme) => {
    expect(findReadme(files(...names))).toBe(readme);
  });

  it('prefers Markdown, then reStructuredText, then AsciiDoc, then text, in any order of the directory entries', () => {
    fc.assert(
      fc.property(fc.subarray(preferred, { minLength: 1 }).chain(shuffled), ({ sorted, listed }) => {
        expect(findReadme(files(...listed))).toBe(sorted[0]);
      }),
    );
  });

  it('finds no directory, symbolic link or submodule', () => {
    const entries = ['dir', 'symlink', 'submodule'].map((kind) => ({ name: 'README.md', kind }));
    expect(findReadme(entries)).toBeNull();
  });
});

function shuffled(sorted: string[]) {
  return fc
    .shuffledSubarray(sorted, { minLength: sorted.length, maxLength: sorted.length })
    .map((listed) => ({ sorted, listed }));
}
