import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import { findInconsistencies } from '../../harness/consistency.ts';
import { eventually } from '../../harness/eventually.ts';
import { say } from '../median.ts';
import { slopePerHour } from './find-growth.ts';
import { takeSample, type Sample, type Sampled } from './take-sample.ts';
import { isOfSlots } from './sample-slots.ts';

/** Longer than what is kept for a minute without use. */
const idleMs = 65_000;
/** Written by `collect-on-signal.mjs`, in bytes. */
const Memory = v.object({ heapUsed: v.number(), external: v.number() });

/**
 * Has gateways and workers collect their garbage, which V8 may leave for minutes in a process that rests. Returns what each
 * has in use afterwards; the memory of its process has also what allocators keep.
 */
async function collectGarbage({ cluster: { gateways, workers }, directory }: Sampled): Promise<Sample> {
  const ofProcess = async (name: string, pid: number) => {
    const path = join(directory, `memory-${pid}.json`);
    await rm(path, { force: true });
    process.kill(pid, 'SIGUSR2');
    const text = await eventually(
      () => readFile(path, 'utf8').catch(() => null),
      (written) => written !== null,
    );
    const { heapUsed, external } = v.parse(Memory, JSON.parse(text ?? ''));
    return [`${name} used MB`, (heapUsed + external) / 1e6] as const;
  };
  return Object.fromEntries(
    await Promise.all([
      ...gateways.map(({ pid }, at) => ofProcess(`gateway ${at + 1}`, pid)),
      ...workers.map(({ pid }, at) => ofProcess(`worker ${at + 1}`, pid)),
    ]),
  );
}

/** Waits until nothing runs, until what is kept for a while without use has been released, and until garbage has been collected. */
export async function rest(sampled: Sampled): Promise<Sample> {
  const busy = async () => [
    ...(await findInconsistencies(sampled.sql, sampled.cluster.storageRoot)),
    ...Object.entries(await takeSample(sampled)).flatMap(([name, value]) => {
      const remains = ['database locks', 'directories in @staging', 'directories in @trash'].includes(name);
      return (remains || isOfSlots(name)) && value > 0 ? [`${name}: ${value}`] : [];
    }),
  ];
  await eventually(busy, (found) => found.length === 0, 120);
  await wait(idleMs);
  const used = await collectGarbage(sampled);
  return { ...(await takeSample(sampled)), ...used };
}

function sayMemory(sample: Sample, seconds: number): void {
  const figures = Object.entries(sample).filter(([name]) => / (?:MB|children|descriptors)$/.test(name));
  say(`after ${Math.round(seconds / 60)} min`, Object.fromEntries(figures));
}

interface Sampling {
  /** Between two samples. */
  readonly seconds: number;
  /** Called beside each wait. */
  readonly act?: () => Promise<void>;
}

/** Takes samples for so many minutes, the last one at their end. */
export async function sampleFor(
  minutes: number,
  sampled: Sampled,
  { seconds, act = () => Promise.resolve() }: Sampling,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const started = performance.now();
  const passed = () => (performance.now() - started) / 1_000;
  let saidAt = 0;
  while (passed() < minutes * 60) {
    await Promise.all([act(), wait(Math.min(seconds, minutes * 60 - passed()) * 1_000)]);
    const sample = await takeSample(sampled);
    samples.push(sample);
    if (passed() - saidAt < 60) continue;
    saidAt = passed();
    sayMemory(sample, saidAt);
  }
  return samples;
}

interface Samples {
  readonly start: Sample;
  readonly warm: Sample;
  readonly end: Sample;
  readonly beside: readonly Sample[];
}

export function sayAll({ start, warm, end, beside }: Samples, seconds: number): void {
  for (const name of Object.keys(end)) {
    const values = beside.flatMap((sample) => sample[name] ?? []);
    say(name, {
      ...(start[name] !== undefined && { 'at the start': start[name] }),
      'after the warm-up': warm[name] ?? 0,
      'at its most': Math.max(end[name] ?? 0, ...values),
      'at the end': end[name] ?? 0,
      'an hour': slopePerHour(values, seconds),
    });
  }
}

/** Prints the calls that held or awaited slots of workers at their most, and those that do at the end. */
export function saySlots(end: Sample, samples: readonly Sample[]): void {
  const callsIn = (sample: Sample) =>
    Object.entries(sample).reduce((sum, [name, value]) => sum + (isOfSlots(name) ? value : 0), 0);
  const most = Math.max(...samples.map(callsIn));
  say('calls that hold or await slots', { 'at their most': most, 'at the end': callsIn(end) });
}
