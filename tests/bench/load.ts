import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { atShare } from './median.ts';

const connections = 32;
const seconds = 4;

interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Runs the work in 32 concurrent loops and measures the rate that this process reaches. */
export async function loopsOf(work: (index: number) => Promise<unknown>, forSeconds = seconds): Promise<Load> {
  const times: number[] = [];
  const until = performance.now() + forSeconds * 1000;
  let index = 0;
  const loop = async () => {
    while (performance.now() < until) {
      const started = performance.now();
      index += 1;
      await work(index);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return { perSecond: times.length / forSeconds, p50: atShare(times, 0.5), p99: atShare(times, 0.99) };
}

/** Returns the resident memory of a process in mebibytes. */
export async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
