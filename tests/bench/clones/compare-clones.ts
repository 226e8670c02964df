import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { git, hg } from '../../harness/remotes.ts';
import { median, report } from '../median.ts';
import { floorNames, type Address, type CloneStage, type Kind, type System } from './clone-stage.ts';

export interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** Returns by how much a CPU time grows with work, and the time that the work takes. */
export async function measureCost(cpuMs: () => Promise<number>, work: () => Promise<unknown>): Promise<Cost> {
  const before = await cpuMs();
  const started = performance.now();
  await work();
  const wall = performance.now() - started;
  return { cpu: (await cpuMs()) - before, wall };
}

/** Returns the CPU time of one side, and the time that work takes there. */
export function costOf(stage: CloneStage, kind: Kind, work: () => Promise<unknown>): Promise<Cost> {
  return measureCost(() => stage.cpuMs(kind), work);
}

const idleMs = 5_000;

/** Returns the CPU time that the service takes when nobody asks anything, in milliseconds for each millisecond. */
export async function idleShare(stage: CloneStage): Promise<number> {
  const { cpu, wall } = await costOf(stage, 'service', () => wait(idleMs));
  report('the service when nobody asks', { 'CPU ms in a second': (1_000 * cpu) / wall });
  return cpu / wall;
}

/** Returns a cost without what the service takes meanwhile when nobody asks anything. */
export function beyondIdle({ cpu, wall }: Cost, share: number): Cost {
  return { cpu: cpu - share * wall, wall };
}

/** Clones by the tool itself. */
export async function toolClone({ directory }: CloneStage, system: System, { url, apiKey }: Address): Promise<void> {
  const path = join(directory, `clone-${randomUUID()}`);
  const from = apiKey === null ? url : url.replace('://', `://api-key:${apiKey}@`);
  if (system === 'git') await git(directory, 'clone', '-q', '--bare', from, path);
  else await hg(directory, 'clone', '-q', '--noupdate', from, path);
  await rm(path, { recursive: true, force: true });
}

/** Reports what the same work has cost on both sides, round by round. */
export function reportAgainst(what: string, system: System, service: readonly Cost[], floor: readonly Cost[]): void {
  const of = (costs: readonly Cost[], figure: keyof Cost) => median(costs.map((one) => one[figure]));
  const ratio = (figure: keyof Cost) =>
    median(service.map((one, round) => one[figure] / (floor[round]?.[figure] ?? Number.NaN)));
  report(`${what}, Trunkline`, { 'CPU ms': of(service, 'cpu'), 'wall ms': of(service, 'wall') });
  report(`${what}, ${floorNames[system]}`, { 'CPU ms': of(floor, 'cpu'), 'wall ms': of(floor, 'wall') });
  report(`${what}, Trunkline / ${floorNames[system]}`, { CPU: ratio('cpu'), wall: ratio('wall') });
}
