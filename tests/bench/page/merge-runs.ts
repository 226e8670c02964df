import type { Line, Machine, Recorded, Run } from './figures.ts';

export interface RunFacts {
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
  readonly loadBefore: number;
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns the runs with those files replaced for which something was recorded, by name of file. */
export function mergeRuns(earlier: readonly Run[], recorded: readonly Recorded[], facts: RunFacts): Run[] {
  const runs = new Map(earlier.map((run) => [run.file, run]));
  for (const file of new Set(recorded.map((one) => one.file))) {
    const own = recorded.filter((one) => one.file === file);
    const lines: Line[] = own.map(({ line }) => line);
    runs.set(file, { file, ...facts, seed: own.find(({ seed }) => seed !== null)?.seed ?? null, lines });
  }
  return [...runs.values()].toSorted((a, b) => (a.file < b.file ? -1 : 1));
}
