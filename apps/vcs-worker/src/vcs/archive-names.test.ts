import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkArchiveNames } from './archive-names.ts';
import { archiveFormats, type ArchiveFormat } from './content.ts';

/** Returns the kind of the error with which these names, in this order, are refused; null when they are accepted. */
function refusal(names: readonly string[], format: ArchiveFormat = 'tar', type: 'git' | 'hg' = 'git'): unknown {
  const check = checkArchiveNames(type, format);
  try {
    for (const name of names) check(name);
    return null;
  } catch (error) {
    return (error as { kind?: unknown }).kind;
  }
}

const outside = ['', '/', '/etc/x', '../x', 'a/../x', 'a/..', '..', '../', '.', './x', 'a/./x', 'a//x', 'a//'];
const outsideOnWindows = ['..\\x', 'a\\..\\x', 'a/..\\x', '..\\..\\evil.bat', 'a\\..'];
const clashing = [
  ['a', 'a'],
  ['a', 'a/'],
  ['a', 'a/x'],
  ['a', 'a-b', 'a.c', 'a/x'],
  ['a', 'a-', 'a-/x'],
  ['a/', 'a/'],
  ['a/', 'a/l', 'a/l/x'],
  ['a/', 'a/b', 'a/', 'a/c'],
  ['b', 'a'],
  ['a/b', 'a-'],
  ['a/x', 'a'],
];

describe.each(archiveFormats)('D9 a %s', (format) => {
  it.each([...outside, ...outsideOnWindows])('with the name %j is refused', (name) => {
    expect(refusal([name], format)).toBe('not-archivable');
  });

  it.each(clashing.map((names) => [names]))('with the names %j is refused', (names) => {
    expect(refusal(names, format)).toBe('not-archivable');
  });

  it('with a name that a client would read as its own metadata is refused', () => {
    for (const [type, own, other] of [
      ['git', '.git', '.hg'],
      ['hg', '.hg', '.git'],
    ] as const) {
      for (const name of [`${own}/hooks/x`, `a/${own.toUpperCase()}/x`, own]) {
        expect(refusal([name], format, type)).toBe('not-archivable');
      }
      for (const name of [`${other}/hooks/x`, `${own}ignore`, `a${own}`])
        expect(refusal([name], format, type)).toBeNull();
    }
  });

  it('with names that only look odd, or differ by case alone, is not refused', () => {
    const names = [
      '\u0001',
      '\n',
      ' ',
      '...',
      '..a',
      '.a',
      'A',
      'Icon\r',
      '\u00ff',
      'a',
      'a-b',
      'a..',
      'b/',
      'b/A',
      'b/a',
    ];
    expect(refusal(names.toSorted(), format)).toBeNull();
  });
});

it('D9 names with a separator or a drive of Windows are refused in a zip only', () => {
  for (const name of ['C:\\evil.bat', 'c:evil', 'a/D:', 'dir\\file', 'dev-\\x2d.swap', '\\\\server\\share']) {
    expect(refusal([name], 'zip')).toBe('not-zippable');
    for (const format of ['tar', 'tar.gz', 'tar.bz2'] as const) expect(refusal([name], format)).toBeNull();
  }
  for (const name of ['HEAD:x', ':(top)x', 'a:', 'ab:c']) {
    expect(refusal([name], 'zip')).toBe(name === 'a:' ? 'not-zippable' : null);
  }
});

it('D9 a set of names is refused exactly when one name lies below the name of a file', () => {
  const segment = fc.constantFrom('a', 'b', '-', '0', 'a-');
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
  const names = fc.uniqueArray(path, { maxLength: 12 });
  fc.assert(
    fc.property(names, (sampled) => {
      const files = sampled.toSorted();
      const clash = files.some((file) => files.some((other) => other.startsWith(`${file}/`)));
      expect(refusal(files)).toBe(clash ? 'not-archivable' : null);
    }),
  );
});

it('D9 names are refused when they have too many bytes in total', () => {
  const check = checkArchiveNames('git', 'tar');
  const long = 'x'.repeat(100_000);
  const many = () => {
    for (let number = 10_000; number < 20_000; number += 1) check(`${number}${long}`);
  };
  expect(many).toThrow('bytes of names');
});
