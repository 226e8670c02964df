import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, inject } from 'vitest';
import '../harness/provided.ts';
import { type Figure, type Figures, type Recorded, showFigure } from './page/figures.ts';

const isKnown = (figure: Figure) => Number.isFinite(typeof figure === 'number' ? figure : figure.median);

/** Adds a line of figures of the running test to those of this run; figures that nothing was measured for are left out. */
function record(what: string, figures: Figures, seed: number | null): void {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const known = Object.fromEntries(Object.entries(figures).filter(([, figure]) => isKnown(figure)));
  const recorded: Recorded = {
    file: basename(testPath),
    seed,
    line: { test: currentTestName, what, figures: known },
  };
  appendFileSync(inject('figuresPath'), `${JSON.stringify(recorded)}\n`);
}

/** Returns the median, the upper one of an even number of figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Returns the figure below which this share of the figures lies, such as 0.99. */
export function atShare(figures: readonly number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)] ?? Number.NaN;
}

/** Returns the milliseconds of each run, after five runs that are not counted. */
export async function timeRuns(runs: number, work: () => Promise<unknown>): Promise<number[]> {
  for (let index = 0; index < 5; index += 1) await work();
  const figures: number[] = [];
  for (let index = 0; index < runs; index += 1) {
    const started = performance.now();
    await work();
    figures.push(performance.now() - started);
  }
  return figures;
}

/** Prints one line of figures. */
export function say(what: string, figures: Figures): void {
  const shown = Object.entries(figures).map(([name, figure]) => `${name} ${showFigure(figure)}`);
  process.stdout.write(`${what}: ${shown.join(', ')}\n`);
}

/** Prints one line of figures and hands it on to docs/performance.md; `seed` is that of the samples, if any. */
export function report(what: string, figures: Figures, seed: number | null = null): void {
  say(what, figures);
  record(what, figures, seed);
}
