import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedPart, changedParts } from './changed-parts.ts';
import type { DiffLine } from './diff-file.ts';

function marked(removed: string, added: string): string[] | undefined {
  const part = changedPart(removed, added);
  if (!part) return undefined;
  return [removed.slice(part.start, part.removedEnd), added.slice(part.start, part.addedEnd)];
}

describe('changedPart', () => {
  it.each([
    ['let a = 1;', 'let a = 23;', ['1', '23']],
    ['f(a)', 'f(a, b)', ['', ', b']],
    ['aaa', 'aaaa', ['', 'a']],
    ['say 😀 now', 'say 😁 now', ['😀', '😁']],
    ['x 𐐀 y', 'x 🐀 y', ['𐐀', '🐀']],
    ['same', 'same', undefined],
    ['completely', 'different', undefined],
    ['      a', '      b', undefined],
    ['', 'a', undefined],
  ])('returns for %j and %j the parts %j', (removed, added, parts) => {
    expect(marked(removed, added)).toEqual(parts);
  });

  it('excludes the common beginning and end, and splits no character', () => {
    const text = fc.array(fc.constantFrom('a', 'b', ' ', '😀', '😁', '🐀')).map((characters) => characters.join(''));
    fc.assert(
      fc.property(text, text, (removed, added) => {
        const part = changedPart(removed, added);
        if (!part) return;
        expect(part.removedEnd).toBeGreaterThanOrEqual(part.start);
        expect(part.addedEnd).toBeGreaterThanOrEqual(part.start);
        expect(removed.slice(0, part.start)).toBe(added.slice(0, part.start));
        expect(removed.slice(part.removedEnd)).toBe(added.slice(part.addedEnd));
        expect(encodeURIComponent(removed.slice(part.start, part.removedEnd))).toBeDefined();
        expect(encodeURIComponent(added.slice(part.start, part.addedEnd))).toBeDefined();
      }),
    );
  });
});

describe('changedParts', () => {
  const line = (text: string): DiffLine => {
    const kind = text.startsWith('-')
      ? 'removed'
      : text.startsWith('+')
        ? 'added'
        : text === '\\'
          ? 'noNewline'
          : 'context';
    return { kind, oldLine: null, newLine: null, text: text.slice(1), isCut: false };
  };
  const marks = (...texts: string[]) => {
    const lines = texts.map(line);
    const parts = changedParts(lines);
    return lines.map((one) => {
      const range = parts.get(one);
      return range && one.text.slice(range.start, range.end);
    });
  };

  it('pairs removed lines with the added lines that follow them', () => {
    expect(marks('-one 1', '-two 2', '+one 3', '+two 4', '+six 6')).toEqual(['1', '2', '3', '4', undefined]);
    expect(marks('-one 1', '\\', '+one 2', '\\')).toEqual(['1', undefined, '2', undefined]);
  });

  it('pairs no lines across a context line or another group of removed lines', () => {
    expect(marks('-one 1', ' x', '+one 2')).toEqual([undefined, undefined, undefined]);
    expect(marks('-one 1', '+one 2', '-six 3', '+six 4')).toEqual(['1', '2', '3', '4']);
  });
});
