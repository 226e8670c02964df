import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { securityRows } from './security-rows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function testFilesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : testFilesBelow(path);
    return /\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** Returns the paths of all test files from the root of the tree. */
export function testFiles(): string[] {
  const directories = ['apps', 'packages', 'infra', 'tests'];
  return directories.flatMap((directory) => testFilesBelow(join(root, directory)).map((path) => relative(root, path)));
}

/** Returns the ids of rows that names of tests begin with: `'C6 of create_repo …'`, `'D1 D2 opens …'`. */
function rowsTestedBy(source: string): string[] {
  return [...source.matchAll(/['"`]((?:[A-F]\d{1,2} )+)\S/g)].flatMap(([, ids = '']) => ids.trim().split(' '));
}

/** Maps each row of the checklist to the files with tests whose names begin with its id. */
export function testsOfRows(): Map<string, string[]> {
  const files = new Map<string, string[]>(Object.keys(securityRows).map((row) => [row, []]));
  for (const path of testFiles().toSorted()) {
    for (const row of new Set(rowsTestedBy(readFileSync(join(root, path), 'utf8')))) files.get(row)?.push(path);
  }
  return files;
}

/** Creates the labels of files: the file name, after that of its directory when several files have the same name. */
function labelsOf(paths: readonly string[]): (path: string) => string {
  const names = paths.map((path) => basename(path));
  const shared = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return (path) => (shared.has(basename(path)) ? join(basename(dirname(path)), basename(path)) : basename(path));
}

/** Renders the table of docs/security.md: each promise, and the tests that fail when it is broken. */
export function renderSecurityRows(): string {
  const tests = testsOfRows();
  const label = labelsOf([...new Set([...tests.values()].flat())]);
  const rows = Object.entries(securityRows).map(([row, promise]) => {
    const links = (tests.get(row) ?? []).map((path) => `[${label(path)}](../${path})`);
    return `| ${row} | ${promise} | ${links.join(', ')} |`;
  });
  return ['| row | promise | tests |', '|---|---|---|', ...rows].join('\n');
}
