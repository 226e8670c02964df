import { expect, it } from 'vitest';
import { languageNamed, languageOf } from './language-of.ts';

it.each([
  ['src/main.ts', 'ts'],
  ['App.TSX', 'tsx'],
  ['lib.rs', 'rs'],
  ['docs/Makefile', 'makefile'],
  ['Dockerfile', 'dockerfile'],
  ['Gemfile', 'ruby'],
  ['CMakeLists.txt', 'cmake'],
  ['App.vue', 'xml'],
  ['.hgrc', 'ini'],
  ['view.m', 'objectivec'],
])('returns for %s the language %s', (fileName, language) => {
  expect(languageOf(fileName)).toBe(language);
});

it.each(['README', 'photo.png', 'a.', '', '.', 'x.constructor', 'x.__proto__', 'a.toString', 'ts'])(
  'returns no language for %j',
  (fileName) => {
    expect(languageOf(fileName)).toBeUndefined();
  },
);

it('returns known names of languages in code blocks, and no others', () => {
  expect(languageNamed('TypeScript')).toBe('TypeScript');
  expect(languageNamed('" onload="x')).toBeUndefined();
});
