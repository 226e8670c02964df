import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
import type { Client } from '../harness/client.ts';
import { atShare, report } from './median.ts';

const calls = 100;
const rounds = 2;

/** Makes calls one after the other, each of which must succeed, and returns the milliseconds of each. */
export async function timeCalls(call: () => Promise<unknown>, count = calls): Promise<number[]> {
  const times: number[] = [];
  for (let made = 0; made < count; made += 1) {
    const started = performance.now();
    await call();
    times.push(performance.now() - started);
  }
  return times;
}

/** Reports the times of another client's calls alone and beside work that some loops repeat. */
export async function reportBeside(
  name: string,
  loops: number,
  work: () => Promise<unknown>,
  call: () => Promise<unknown>,
): Promise<void> {
  const alone: number[] = [];
  const beside: number[] = [];
  let done = 0;
  await timeCalls(call);
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await timeCalls(call)));
    const stop = new AbortController();
    const loop = async () => {
      while (!stop.signal.aborted) {
        await work();
        done += 1;
      }
    };
    const looping = Promise.all(Array.from({ length: loops }, loop));
    beside.push(...(await timeCalls(call)));
    stop.abort();
    await looping;
  }
  report(name, {
    'p50 alone ms': atShare(alone, 0.5),
    'p99 alone ms': atShare(alone, 0.99),
    'p50 beside ms': atShare(beside, 0.5),
    'p99 beside ms': atShare(beside, 0.99),
    'done beside': done,
  });
}

/** Returns a call of `get_ip`, which must succeed. */
export function ipCall({ call }: Pick<Client, 'call'>): () => Promise<void> {
  return async () => expect((await call('get_ip', { userid: 'admin' })).error).toBeNull();
}
