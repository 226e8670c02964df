import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseRuns, type Run } from './figures.ts';
import { renderPage, renderStudies } from './render-page.ts';
import { renderPlot } from './render-plot.ts';

/** Reads the figures that the page in a directory shows; none when it has no page. */
export function readRuns(directory: string): Run[] {
  const path = join(directory, 'performance.json');
  return existsSync(path) ? parseRuns(readFileSync(path, 'utf8')) : [];
}

/** Returns the files of the page and their contents. */
export function pageFiles(runs: readonly Run[]): Readonly<Record<string, string>> {
  return {
    'performance.json': `${JSON.stringify(runs, null, 1)}\n`,
    'performance.md': renderPage(runs),
    'performance.svg': renderPlot(runs),
    ...renderStudies(runs),
  };
}

export function writePage(directory: string, runs: readonly Run[]): void {
  for (const [name, text] of Object.entries(pageFiles(runs))) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}
