import { expect, it } from 'vitest';
import { documentFormatOf } from './document-format.ts';

it.each([
  ['README.md', 'markdown'],
  ['docs/a.b/GUIDE.MarkDown', 'markdown'],
  ['a.mkd', 'markdown'],
  ['a.rst', 'rst'],
  ['a.ADOC', 'asciidoc'],
  ['a.asciidoc', 'asciidoc'],
  ['.md', 'markdown'],
  ['a.textile', null],
  ['md', null],
  ['a.md/b', null],
  ['a.md.txt', null],
  ['a.constructor', null],
])('the format of %s is %s', (name, format) => {
  expect(documentFormatOf(name)).toBe(format);
});
