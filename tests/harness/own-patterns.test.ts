import { expect, it } from 'vitest';
import { ownPatterns, type OwnPattern } from './own-patterns.ts';

const characters = 10_000;
// What is linear takes a millisecond, what is quadratic hundreds.
const msMax = 50;

/** What a pattern is made of, over and over, and then what it cannot end with. */
function hostileTexts({ source }: RegExp): string[] {
  const words = source.match(/[A-Za-z0-9 <>"'@#:%.,;=-]+/g) ?? [];
  const units = new Set([
    ...words,
    ...Array.from(words.join('')),
    ...Array.from(' \t\r\n/\\.-_0aA"<>[]@:%#=('),
    'a/',
    '\r\n',
    '\\"',
  ]);
  return Array.from(units, (unit) => `${unit.repeat(characters / unit.length)}\u0001`);
}

function msOf(pattern: RegExp, text: string): number {
  const started = performance.now();
  text.replace(pattern, '');
  return performance.now() - started;
}

/** The best of three: somebody else may have had the core. */
function isSlow(pattern: RegExp, text: string): boolean {
  return [1, 2, 3].every(() => msOf(pattern, text) > msMax);
}

const slowOnes = (patterns: readonly OwnPattern[]) =>
  patterns
    .filter(({ pattern }) => hostileTexts(pattern).some((text) => isSlow(pattern, text)))
    .map(({ place }) => place);

it('E10 none of our regular expressions takes more than linear time over long hostile text', () => {
  const patterns = ownPatterns();
  expect(patterns.length).toBeGreaterThan(100);
  expect(slowOnes(patterns)).toEqual([]);
});

it('finds what takes longer', () => {
  const suspects = [/[^\r\n]*\r(?!\n)/g, /\s+$/].map((pattern) => ({ place: pattern.source, pattern }));
  expect(slowOnes(suspects)).toEqual(suspects.map(({ place }) => place));
});
