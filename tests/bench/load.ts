import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { expect } from 'vitest';

const connections = 32;
const seconds = 4;

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Posts the bodies one after the other, repeatedly, on 32 connections. */
export async function loadOf(url: string, bodies: readonly string[]): Promise<Load> {
  const { requests, latency, non2xx, errors } = await autocannon({
    url,
    method: 'POST',
    requests: bodies.map((body) => ({ body })),
    connections,
    duration: seconds,
  });
  expect({ non2xx, errors }).toEqual({ non2xx: 0, errors: 0 });
  return { perSecond: requests.average, p50: latency.p50, p99: latency.p99 };
}

/** Posts calls of a method like `loadOf`, after a first call that must succeed. */
export async function loadOfCalls(
  baseUrl: string,
  apiKey: string,
  method: string,
  args: readonly object[],
): Promise<Load> {
  const url = `${baseUrl}/_admin/api`;
  const bodies = args.map((one) => JSON.stringify({ id: 1, api_key: apiKey, method, args: one }));
  const reply = await fetch(url, { method: 'POST', body: bodies[0] ?? '' });
  expect(await reply.json()).toMatchObject({ error: null });
  return loadOf(url, bodies);
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
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: times.length / forSeconds, p50: at(0.5), p99: at(0.99) };
}

/** Returns the resident memory of a process in mebibytes. */
export async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
