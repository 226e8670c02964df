import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Matches a regular expression literal where an expression may begin, so that comments and divisions do not match. */
const literal =
  /(?<=(?:[=(,:[!&|?{};]|=>|\breturn)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)(?=[\s.,;)\]}])/g;

interface OwnPattern {
  readonly location: string;
  readonly pattern: RegExp;
}

/** Returns every regular expression literal in the sources of apps and packages, without their tests. */
function ownPatterns(): OwnPattern[] {
  const apps = ['apps', 'packages'].flatMap((above) =>
    readdirSync(`${root}${above}`).map((name) => `${above}/${name}/src`),
  );
  const files = apps.flatMap((app) =>
    readdirSync(`${root}${app}`, { recursive: true, encoding: 'utf8' }).map((name) => `${app}/${name}`),
  );
  return files
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\//.test(file))
    .flatMap((file) => {
      const text = readFileSync(`${root}${file}`, 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
      return Array.from(text.matchAll(literal), ([shown, source = '', flags = '']) => ({
        location: `${file} ${shown}`,
        pattern: new RegExp(source, flags),
      }));
    });
}

const characters = 10_000;
// A linear match takes about one millisecond of the processor's time, which others on the machine do not use up; a
// quadratic match takes hundreds.
const msMax = 50;

/** Returns texts that repeat a part of the pattern, each followed by a character at which the match fails. */
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
  const started = process.cpuUsage();
  text.replace(pattern, '');
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

/** Takes the best of three runs: another thread of this process may have collected garbage meanwhile. */
function isSlow(pattern: RegExp, text: string): boolean {
  return [1, 2, 3].every(() => msOf(pattern, text) > msMax);
}

const slowOnes = (patterns: readonly OwnPattern[]) =>
  patterns
    .filter(({ pattern }) => hostileTexts(pattern).some((text) => isSlow(pattern, text)))
    .map(({ location }) => location);

it('E10 no regular expression of apps and packages takes more than linear time over long hostile text', () => {
  const patterns = ownPatterns();
  expect(patterns.length).toBeGreaterThan(100);
  expect(slowOnes(patterns)).toEqual([]);
});

it('finds regular expressions that take quadratic time', () => {
  const suspects = [/[^\r\n]*\r(?!\n)/g, /\s+$/].map((pattern) => ({ location: pattern.source, pattern }));
  expect(slowOnes(suspects)).toEqual(suspects.map(({ location }) => location));
});
