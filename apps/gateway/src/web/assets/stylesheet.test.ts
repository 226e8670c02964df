import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { foundationCss } from './foundation-css.ts';
import { highlightCss } from './highlight-css.ts';
import { stylesheet, stylesheetAs } from './stylesheet.ts';

/** Returns the relative luminance of a colour, as WCAG 2.2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

/** Returns the colours of a style's first two blocks of variables, light and dark. */
function schemesOf(css: string): Map<string, string>[] {
  const [, ...blocks] = css.split(':root {');
  return blocks.slice(0, 2).map((block) => {
    const found = (block.split('}')[0] ?? '').matchAll(/--([\w-]+): (#[0-9a-f]{6});/g);
    return new Map([...found].map(([, name = '', colour = '']) => [name, colour]));
  });
}

const highlighting = schemesOf(highlightCss);
const schemes = schemesOf(foundationCss).map((own, at) => new Map([...own, ...(highlighting[at] ?? [])]));

const codes = ['fg', 'comment', 'keyword', 'string', 'number', 'title', 'type', 'attribute'].map(
  (name) => `code-${name}`,
);
const plain = ['bg', 'bg-soft', 'bg-raised'];
const all = (texts: readonly string[], backgrounds: readonly string[]) =>
  texts.flatMap((text) => backgrounds.map((background) => [text, background]));
const pairs = [
  ...all(codes, ['code-bg', 'bg-soft', 'warn-bg', 'diff-added-bg', 'diff-removed-bg']),
  ...all(['code-fg'], ['diff-added-mark', 'diff-removed-mark']),
  ...all(['diff-hunk-fg'], ['diff-hunk-bg']),
  ...all(
    Array.from({ length: 8 }, (_, index) => `colour-${index}`),
    ['code-bg'],
  ),
  ...all(['text', 'text-soft', 'accent', 'good', 'bad', 'warn'], plain),
  ...all(['text', 'text-soft'], ['code-bg', 'warn-bg']),
  ...['good', 'bad', 'warn'].map((name) => [name, `${name}-bg`]),
  ['accent-text', 'accent'],
];

describe('the stylesheet', () => {
  it.each(pairs)('has a contrast of at least 4.5 for %s on %s, light and dark', (text = '', background = '') => {
    expect(schemes).toHaveLength(2);
    for (const scheme of schemes) {
      const ratio = contrast(scheme.get(text) ?? '', scheme.get(background) ?? '');
      expect(ratio, `${scheme.get(text)} on ${scheme.get(background)}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('has the same colours of code in both schemes, and uses each', () => {
    const used = new Set([...highlightCss.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name));
    for (const scheme of highlighting) expect(new Set(scheme.keys())).toEqual(used);
  });

  it('uses no variable that it does not define', () => {
    const defined = new Set([...stylesheet.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
    const used = [...stylesheet.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name);
    expect(used.filter((name) => !defined.has(name))).toEqual([]);
  });

  it('loads no other file', () => {
    expect(stylesheet).not.toMatch(/url|@import/);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is the same as %s', async (encoding, decompress) => {
    const bytes = await stylesheetAs(encoding);
    expect(decompress(bytes).toString()).toBe(stylesheet);
    expect(bytes.length).toBeLessThan(10_000);
  });
});
