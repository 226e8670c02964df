import { describe, expect, it } from 'vitest';
import { highlightCss } from './highlight-css.ts';

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

const [, lightBlock = '', darkBlock = ''] = highlightCss.split(':root {');
const schemes = [lightBlock, darkBlock].map(
  (block) =>
    new Map(
      [...(block.split('}')[0] ?? '').matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', colour = '']) => [
        name,
        colour,
      ]),
    ),
);

const texts = ['fg', 'comment', 'keyword', 'string', 'number', 'title', 'type', 'attribute'].map(
  (name) => `code-${name}`,
);
const pairs = [
  ...texts.flatMap((text) => ['code-bg', 'diff-added-bg', 'diff-removed-bg'].map((background) => [text, background])),
  ...['diff-added-mark', 'diff-removed-mark'].map((background) => ['code-fg', background]),
  ['diff-hunk-fg', 'diff-hunk-bg'],
  ...Array.from({ length: 8 }, (_, index) => [`colour-${index}`, 'code-bg']),
];

describe('highlightCss', () => {
  it.each(pairs)('has a contrast of at least 4.5 for %s on %s, light and dark', (text = '', background = '') => {
    for (const scheme of schemes) {
      const ratio = contrast(scheme.get(text) ?? '', scheme.get(background) ?? '');
      expect(ratio, `${scheme.get(text)} on ${scheme.get(background)}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('defines every variable it uses, in both schemes, and uses each', () => {
    const used = new Set([...highlightCss.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name));
    for (const scheme of schemes) expect(new Set(scheme.keys())).toEqual(used);
  });

  it('loads no other file', () => {
    expect(highlightCss).not.toMatch(/url|@import/);
  });
});
