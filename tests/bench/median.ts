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

/** Prints one line of the report. */
export function report(what: string, figures: Readonly<Record<string, number>>): void {
  const shown = Object.entries(figures).map(([name, figure]) => `${name} ${Number(figure.toPrecision(3))}`);
  process.stdout.write(`${what}: ${shown.join(', ')}\n`);
}
