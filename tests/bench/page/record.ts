import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, inject } from 'vitest';
import '../../harness/provided.ts';
import type { Figure, Figures, Recorded } from './figures.ts';

const isKnown = (figure: Figure) => Number.isFinite(typeof figure === 'number' ? figure : figure.median);

/** Adds a line of figures of the running test to those of this run; figures that nothing was measured for are left out. */
export function record(what: string, figures: Figures, seed: number | null): void {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const known = Object.fromEntries(Object.entries(figures).filter(([, figure]) => isKnown(figure)));
  const recorded: Recorded = {
    file: basename(testPath),
    seed,
    line: { test: currentTestName, what, figures: known },
  };
  appendFileSync(inject('figuresPath'), `${JSON.stringify(recorded)}\n`);
}
