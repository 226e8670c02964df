import { describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { highlightFile, highlightParts, languageNamed, languageOf } from './highlight-lines.ts';
import { languagesByEnding, languagesByName } from './language-names.ts';
import { splitLines } from './shown-text.ts';
import { plainLines } from './plain-text.ts';

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
  ['infra/main.tf', 'hcl'],
  ['build.zig', 'zig'],
  ['fit.jl', 'julia'],
  ['BUILD', 'python'],
  ['.bashrc', 'bash'],
  ['.BASHRC', 'bash'],
  ['deploy/Jenkinsfile', 'groovy'],
  ['Dockerfile.test', 'dockerfile'],
  ['Makefile.am', 'makefile'],
  ['build.gradle.kts', 'kotlin'],
  ['settings.yml.example', 'yml'],
  ['config.h.in', 'h'],
])('returns for %s the language %s', (fileName, language) => {
  expect(languageOf(fileName)).toBe(language);
});

it.each(['build', 'build.none', 'profile.x'])('returns no language for %j', (fileName) => {
  expect(languageOf(fileName)).toBeUndefined();
});

it.each([
  ['#!/bin/sh', 'bash'],
  ['#! /usr/bin/env python3.11', 'python'],
  ['#!/usr/bin/env -S LC_ALL=C perl -w\r\nprint', 'perl'],
  ['#!/usr/local/bin/Rscript --vanilla\n', 'r'],
  ['#!/usr/bin/env', undefined],
  ['#!/opt/constructor', undefined],
  [' #!/bin/sh', undefined],
  ['#!', undefined],
])('returns for a script that begins with %j the language %s', (text, language) => {
  expect(languageOf('tools/run', text)).toBe(language);
  expect(languageOf('tools/run.py', text)).toBe('py');
});

it('knows no language that has no grammar', () => {
  const names = [...languagesByName.values(), ...languagesByEnding.values()];
  expect(names.filter((name) => languageNamed(name) === undefined)).toEqual([]);
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

/** Returns the text that a browser would show. Expects balanced spans with one class attribute, and text only. */
function textOf(line: string): string {
  let depth = 0;
  const text = line.replace(/<span class="[\w .-]+">|<\/span>/g, (tag) => {
    depth += tag === '</span>' ? -1 : 1;
    expect(depth).toBeGreaterThanOrEqual(0);
    return '';
  });
  expect(depth).toBe(0);
  expect(text).not.toMatch(/[<>"\n]/);
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:x27|39);/g, "'")
    .replaceAll('&amp;', '&');
}

describe('highlightFile', () => {
  it.each([
    ['main.tf', 'count = 3 # three', '<span class="hljs-attr">count</span> = <span class="hljs-number">3</span>'],
    ['main.tf', 'resource "a" "b" {', '<span class="hljs-keyword">resource</span> <span class="hljs-string">'],
    [
      'main.zig',
      'pub fn main() void {',
      '<span class="hljs-keyword">fn</span> <span class="hljs-title function_">main',
    ],
    ['main.zig', '@import("std")', '<span class="hljs-built_in">@import</span>(<span class="hljs-string">'],
  ])('colours %s: %s', (name, text, html) => {
    expect(highlightFile(text, name).lines[0]).toContain(html);
  });

  it('tells the language, also of a file that is too large for colours', () => {
    expect(highlightFile('x', 'a.cpp').language).toBe('C++');
    expect(highlightFile('x\n'.repeat(200_000), 'main.tf').language).toBe('HCL');
    expect(highlightFile('x', 'README').language).toBe('');
  });

  it('closes open spans at the end of a line and opens them again on the next line', () => {
    expect(highlightFile('/* a\n   b */\nx', 'a.c').lines).toEqual([
      '<span class="hljs-comment">/* a</span>',
      '<span class="hljs-comment">   b */</span>',
      'x',
    ]);
  });

  it('returns safe HTML lines that show the same text, for any text', () => {
    const piece = fc.constantFrom(
      '`${',
      '}',
      '<script>',
      '"',
      "'",
      '/*',
      '*/',
      '\n',
      '<!--',
      '&lt;',
      'let x',
      '\\',
      '{',
      '</span>',
    );
    const anyText = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(piece).map((pieces) => pieces.join('')),
    );
    const fileName = fc.constantFrom(
      'a.ts',
      'a.html',
      'a.md',
      'a.php',
      'a.py',
      'a.css',
      'a.vue',
      'a.tf',
      'a.zig',
      'Makefile',
      'a.none',
    );
    fc.assert(
      fc.property(anyText, fileName, (text, name) => {
        const visible = text.replaceAll(/[^\P{C}\n]|[\u2028\u2029]/gu, '');
        expect(highlightFile(visible, name).lines.map(textOf)).toEqual(splitLines(visible));
      }),
      { numRuns: 500 },
    );
  });

  it('splits lines at CRLF, too, and shows characters that change the direction of text', () => {
    expect(highlightFile('a\r\nb\u202E\r\n', 'a.txt').lines).toEqual(['a', 'b\\u{202E}']);
    expect(highlightFile('// \u202E } \u2066', 'a.js').lines).toEqual([
      '<span class="hljs-comment">// \\u{202E} } \\u{2066}</span>',
    ]);
  });

  it.each([
    ['more than half a megabyte', 'let a;\n'.repeat(80_000)],
    ['more than 256 KB in fewer characters', 'é\n'.repeat(90_000)],
    ['more than 10 000 lines', 'if\n'.repeat(10_001)],
    ['a line of more than 5 000 characters', `let ${'a'.repeat(5_000)}`],
    ['an empty text', ''],
    // Each line would open all open spans again.
    ['nesting whose HTML would multiply', `${'`${'.repeat(1_000)}${'\n'.repeat(9_000)}`],
  ])('leaves %s plain', (_, text) => {
    expect(highlightFile(text, 'a.js').lines).toEqual(plainLines(text));
  });
});

describe('highlightParts', () => {
  it('colours each part by itself, in the language of its file', () => {
    const parts = [
      ['a.js', '/* a'],
      ['b.js', 'let b'],
      ['README', 'let c'],
      ['d.py', ''],
    ] as const;
    expect(highlightParts(parts)).toEqual([
      ['<span class="hljs-comment">/* a</span>'],
      ['<span class="hljs-keyword">let</span> b'],
      null,
      null,
    ]);
  });

  it('E6 stops where its time or its characters are used up', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(999).mockReturnValueOnce(1_001);
    const parts = [
      ['a.js', 'let a'],
      ['b.js', 'let b'],
    ] as const;
    expect(highlightParts(parts).map((lines) => lines !== null)).toEqual([true, false]);
    now.mockRestore();
    const many = Array.from({ length: 400 }, () => ['a.js', 'let a;\n'.repeat(500)] as const);
    const coloured = highlightParts(many).flatMap((lines) => lines ?? []);
    expect(coloured.join('').length).toBeLessThanOrEqual(4 * 1_024 * 1_024);
  });
});
