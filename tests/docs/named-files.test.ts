import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { comments } from './wording.ts';

const root = join(import.meta.dirname, '../..');
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => existsSync(join(root, path)));
const sources = tracked.filter((path) => /\.(tsx?|mjs)$/.test(path) && path !== 'tests/docs/named-files.test.ts');
/** The documents that describe the present state. */
const documents = tracked.filter((path) => path.endsWith('.md') && !/renames|CHANGELOG/.test(path));

/** Returns the source files that a document names in backticks, as whole paths or as ends of paths. */
function namedFiles(text: string): string[] {
  return [...text.matchAll(/`([\w@./-]+\.(?:tsx?|mjs))`/g)].map(([, path = '']) => path);
}

/** Returns the files to which a document links, relative to its folder. */
function linkedFiles(text: string): string[] {
  return [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)].map(([, path = '']) => path);
}

/** Returns the names by which links reach the sections of a document. */
function sectionsOf(text: string): Set<string> {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.replaceAll(/\]\([^)]*\)/g, ']'));
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Returns the links of a document to sections that it, or another document, does not have. */
function linksToNoSection(document: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([\w@./-]*)#([^)\s]+)\)/g)];
  const missing = links.filter(([, path = '', section = '']) => {
    if (path === '') return !sectionsOf(text).has(section);
    const target = join(root, dirname(document), path);
    return path.endsWith('.md') && existsSync(target) && !sectionsOf(readFileSync(target, 'utf8')).has(section);
  });
  return missing.map(([link]) => link);
}

it('finds names of files in backticks', () => {
  expect(namedFiles('See `calls/invoke.ts`, `get_repo` and `infra/a.mjs`.')).toEqual([
    'calls/invoke.ts',
    'infra/a.mjs',
  ]);
});

it('finds links to files', () => {
  const text = 'See [a](adr/a.md#why), [b](#there), [c](https://example.com/c.md) and [d](../d.ts).';
  expect(linkedFiles(text)).toEqual(['adr/a.md', '../d.ts']);
});

function exists(path: string): boolean {
  return tracked.some((one) => one === path || one.endsWith(`/${path}`));
}

/** Returns the files that the comments of a source name and that do not exist. */
function missingInComments(text: string): string[] {
  return [...text.matchAll(comments)].flatMap(([comment]) => namedFiles(comment)).filter((path) => !exists(path));
}

it('finds names of files in comments that do not exist', () => {
  const text = "/** As in `calls/invoke.ts` and `gone.ts`. */\nconst a = '`b.ts`'; // See `lost.mjs`.\n";
  expect(missingInComments(text)).toEqual(['gone.ts', 'lost.mjs']);
});

it('no comment of a source names a file that does not exist', () => {
  const found = sources.flatMap((path) =>
    missingInComments(readFileSync(join(root, path), 'utf8')).map((named) => `${path}: ${named}`),
  );
  expect(found).toEqual([]);
});

it.each(documents)('%s names no file that does not exist', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const isLinked = (path: string) => existsSync(join(root, dirname(document), path));
  expect(namedFiles(text).filter((path) => !exists(path))).toEqual([]);
  expect(linkedFiles(text).filter((path) => !isLinked(path))).toEqual([]);
});

it('finds links to sections', () => {
  const text = '# A `b` (c)\n[x](#a-b-c) [x](#gone) [x](../README.md#start) [x](../README.md#gone)\n';
  expect(linksToNoSection('docs/x.md', text)).toEqual(['](#gone)', '](../README.md#gone)']);
});

it.each(documents)('%s links to no section that does not exist', (document) => {
  expect(linksToNoSection(document, readFileSync(join(root, document), 'utf8'))).toEqual([]);
});
