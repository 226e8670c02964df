import { cpuMsOf, readProcesses } from '../../harness/process-figures.ts';
import type { LoadFigures, OpenLoad } from './open-load.ts';

/** The parts of a service whose CPU time is measured, each with the process that has started all of its processes. */
export const parts = ['gateway', 'worker', 'bus', 'database'] as const;
export type Part = (typeof parts)[number];
export type Pids = Readonly<Record<Part, number>>;
export type CpuMs = Readonly<Record<Part, number>>;

export interface Measured extends LoadFigures {
  /** CPU milliseconds of each part for one served request. */
  readonly cpuMsPerCall: CpuMs;
}

const byPart = (figureOf: (part: Part) => number): CpuMs => ({
  gateway: figureOf('gateway'),
  worker: figureOf('worker'),
  bus: figureOf('bus'),
  database: figureOf('database'),
});

async function readCpu(pids: Pids): Promise<CpuMs> {
  const table = await readProcesses();
  return byPart((part) => cpuMsOf(table, pids[part]));
}

/** Runs a load and measures what the parts use meanwhile. */
export async function measure(load: OpenLoad, seconds: number, pids: Pids): Promise<Measured> {
  const before = await readCpu(pids);
  const figures = await load.run(seconds);
  const after = await readCpu(pids);
  return { ...figures, cpuMsPerCall: byPart((part) => (after[part] - before[part]) / figures.served) };
}

export const allParts = (cpu: CpuMs): number => parts.reduce((sum, part) => sum + cpu[part], 0);
