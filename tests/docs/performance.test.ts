import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pageFiles, readRuns, writePage } from '../bench/page/page-files.ts';

const docs = join(import.meta.dirname, '../../docs');

it('docs/performance.md and its plot show the figures of docs/performance.json', () => {
  const runs = readRuns(docs);
  if (process.env['UPDATE_DOCS'] !== undefined) writePage(docs, runs);
  const stored = Object.keys(pageFiles(runs)).map((name) => [name, readFileSync(join(docs, name), 'utf8')]);
  expect(Object.fromEntries(stored)).toEqual(pageFiles(runs));
});
