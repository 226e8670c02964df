import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { descendants, proportionalMb, readProcesses } from '../harness/process-figures.ts';
import { openPack } from '../wire/open-pack.ts';
import { isShort } from './bench-form.ts';
import { ipCall, timeCalls } from './beside.ts';
import { openCloneStage, type CloneStage } from './clones/clone-stage.ts';
import { atShare, report } from './median.ts';

const rounds = isShort ? 1 : 5;
const slowClients = isShort ? 8 : 200;
/** Fewer than a worker serves of one repository, and to one user. */
const slowPerRepository = 25;
const slowPerUser = 50;
const slowBytesPerSecond = 10 * 1024;

let stage: CloneStage;
beforeAll(async () => {
  stage = await openCloneStage(inject('postgresUrl'), 'git');
}, 300_000);
afterAll(() => stage.close());

async function open(name: string, key: string): Promise<IncomingMessage> {
  const response = await openPack(stage.address('service', name).url, key, stage.tip);
  expect(response.statusCode).toBe(200);
  return response;
}

/** Reads a pack, not faster than so many bytes a second; returns the bytes until the signal ends the reading. */
async function readPack(response: IncomingMessage, bytesPerSecond: number, signal: AbortSignal): Promise<number> {
  const started = performance.now();
  let bytes = 0;
  signal.addEventListener('abort', () => response.destroy(), { once: true });
  try {
    for await (const piece of response) {
      bytes += (piece as Buffer).length;
      const aheadMs = (bytes / bytesPerSecond) * 1_000 - (performance.now() - started);
      if (aheadMs > 5) await wait(aheadMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return bytes;
}

it('get_ip beside clones at full rate', async () => {
  const name = await stage.freshRepository();
  const call = ipCall(stage.admin);
  await timeCalls(call);
  const alone: number[] = [];
  const beside: number[] = [];
  const bytes: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await timeCalls(call, 300)));
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const started = performance.now();
    const reading = Array.from({ length: 2 }, async () => {
      while (!stop.signal.aborted) {
        bytes.push(await readPack(await open(name, stage.admin.apiKey), 45 * 2 ** 20, stop.signal));
      }
    });
    await wait(200);
    beside.push(...(await timeCalls(call, 300)));
    stop.abort();
    seconds.push((performance.now() - started) / 1_000);
    await Promise.all(reading);
  }
  const sum = (figures: readonly number[]) => figures.reduce((one, other) => one + other, 0);
  const [p50, p50Beside] = [atShare(alone, 0.5), atShare(beside, 0.5)];
  report('get_ip beside clones', {
    'p50 alone ms': p50,
    'p50 beside ms': p50Beside,
    ratio: p50Beside / p50,
    'p99 beside ms': atShare(beside, 0.99),
    'MB/s': sum(bytes) / 2 ** 20 / sum(seconds),
  });
}, 600_000);

it(`${slowClients} clients that read 10 KB/s`, async () => {
  const { cluster, makeKeys, freshRepository } = stage;
  const second = await cluster.startWorker();
  const pids = () => [...cluster.gateways, ...cluster.workers, second].map(({ pid }) => pid);
  const names: string[] = [];
  for (let at = 0; at * slowPerRepository < slowClients; at += 1) names.push(await freshRepository());
  const keys = await makeKeys(Math.ceil(slowClients / slowPerUser));
  const before = await proportionalMb(pids());
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const clients: Promise<number>[] = [];
  // One after the other: what so many at once get is measured elsewhere.
  while (clients.length < slowClients) {
    const name = names[Math.floor(clients.length / slowPerRepository)] ?? '';
    const response = await open(name, keys[clients.length % keys.length] ?? '');
    clients.push(readPack(response, slowBytesPerSecond, stop.signal));
  }
  await wait(isShort ? 3_000 : 20_000);
  const after = await proportionalMb(pids());
  const table = await readProcesses();
  const processes = [...cluster.workers, second].flatMap(({ pid }) => descendants(table, pid)).length;
  stop.abort();
  const bytes = await Promise.all(clients);
  expect(bytes.filter((one) => one === 0)).toEqual([]);
  await second.kill();
  report(`${slowClients} clients that read 10 KB/s`, { 'MB before': before, 'MB more': after - before, processes });
}, 600_000);
