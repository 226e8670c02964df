import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from '../text/split-lines.ts';
import { highlightFile } from './highlight-lines.ts';
import { plainLines } from './plain-lines.ts';

/** What a browser would show, provided that the line holds balanced spans with one class attribute and text only. */
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
  it('closes what a line leaves open and opens it again on the next', () => {
    expect(highlightFile('/* a\n   b */\nx', 'a.c')).toEqual([
      '<span class="hljs-comment">/* a</span>',
      '<span class="hljs-comment">   b */</span>',
      'x',
    ]);
  });

  it('gives safe lines that say what the text says, whatever the text', () => {
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
    const fileName = fc.constantFrom('a.ts', 'a.html', 'a.md', 'a.php', 'a.py', 'a.css', 'a.vue', 'Makefile', 'a.none');
    fc.assert(
      fc.property(anyText, fileName, (text, name) => {
        const visible = text.replaceAll(/[^\P{C}\n]|[\u2028\u2029]/gu, '');
        expect(highlightFile(visible, name).map(textOf)).toEqual(splitLines(visible));
      }),
      { numRuns: 500 },
    );
  });

  it('numbers lines of Windows as others and shows what would turn the text around', () => {
    expect(highlightFile('a\r\nb\u202E\r\n', 'a.txt')).toEqual(['a', 'b\\u{202E}']);
    expect(highlightFile('// \u202E } \u2066', 'a.js')).toEqual([
      '<span class="hljs-comment">// \\u{202E} } \\u{2066}</span>',
    ]);
  });

  it.each([
    ['more than half a megabyte', 'let a;\n'.repeat(80_000)],
    ['more than 10 000 lines', 'if\n'.repeat(10_001)],
    ['a line of more than 5 000 characters', `let ${'a'.repeat(5_000)}`],
    ['nothing', ''],
    // Each line would open all that is open again.
    ['nesting that would multiply', `${'`${'.repeat(1_000)}${'\n'.repeat(9_000)}`],
  ])('leaves %s plain', (_, text) => {
    expect(highlightFile(text, 'a.js')).toEqual(plainLines(text));
  });
});
