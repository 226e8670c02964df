import { mkdir, readdir } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { setCommandNice } from '../../process/lower-priority.ts';
import { memoryBudget } from '../../process/memory-budget.ts';
import {
  bundleArgs,
  openHgProtocolBench,
  piecesOf,
  waitMs,
  type HgProtocolBench,
} from '../../testing/hg-protocol-bench.ts';
import { commitHg } from '../../testing/tools.ts';
import { createHgProtocol } from './hg-protocol.ts';

const { signal } = new AbortController();

let bench: HgProtocolBench;

beforeAll(async () => {
  bench = await openHgProtocolBench();
}, waitMs);

afterAll(() => bench.close());

afterEach(() => memoryBudget.setLimit(Infinity));

const held = async function* () {
  yield Buffer.from('x=');
  await new Promise(() => {});
};

it('D12 a child ends with its signal, and leaves no process behind', async () => {
  await bench.ask('heads');
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  const ended = new AbortController();
  const answers = Array.from({ length: 5 }, () =>
    bench.protocol.serve(bench.path, { command: 'heads', caps: '', args: held() }, ended.signal),
  );
  for (const answer of answers) answer.catch(() => {});
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(6);
  ended.abort();
  for (const answer of answers) await expect(answer).rejects.toMatchObject({ kind: 'cancelled' });
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  await expect(
    bench.protocol.serve(bench.path, { command: 'heads', caps: '', args: piecesOf('') }, ended.signal),
  ).rejects.toMatchObject({
    kind: 'cancelled',
  });
});

it('D12 a child ends with a reader that stops, and when nobody begins to read', async () => {
  const own = await bench.freshRepository();
  const content = Array.from({ length: 40_000 }, (_, at) => `${Math.sin(at)}\n`).join('');
  const head = await commitHg(own, Object.fromEntries([1, 2, 3, 4].map((at) => [`f${at}`, `${at}${content}`])));
  const request = { command: 'getbundle', caps: '', args: piecesOf(bundleArgs(head)) };
  const { body } = await bench.protocol.serve(own, request, signal);
  const pieces = body[Symbol.asyncIterator]();
  await pieces.next();
  await pieces.return?.();
  const unread = await bench.protocol.serve(own, { ...request, args: piecesOf(bundleArgs(head)) }, signal);
  await unread.body[Symbol.asyncIterator]().return?.();
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
});

it('D12 a child that computes for long gets a lower priority, and its server keeps its own', async () => {
  const own = await bench.freshRepository();
  const content = Array.from({ length: 200_000 }, (_, at) => `${Math.sin(at)}\n`).join('');
  const head = await commitHg(own, { content });
  await bench.ask('heads');
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  const [server = 0] = await bench.processes();
  setCommandNice(10);
  try {
    const request = { command: 'getbundle', caps: '', args: piecesOf(bundleArgs(head)) };
    const { body } = await bench.protocol.serve(own, request, signal);
    const pieces = body[Symbol.asyncIterator]();
    const [child = 0] = (await bench.processes()).filter((pid) => pid !== server);
    const readMore = async () => {
      expect((await pieces.next()).done).toBe(false);
      return getPriority(child);
    };
    await expect.poll(readMore, { timeout: waitMs }).toBe(10);
    expect(getPriority(server)).toBe(getPriority());
    await pieces.return?.();
  } finally {
    setCommandNice(0);
  }
});

it('D12 a killed child may be tried again; a killed server is replaced, and its children end with it', async () => {
  await bench.ask('heads');
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  const [server = 0] = await bench.processes();
  const answers = [1, 2].map(() =>
    bench.protocol.serve(bench.path, { command: 'heads', caps: '', args: held() }, signal),
  );
  for (const answer of answers) answer.catch(() => {});
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(3);
  const child = (await bench.processes()).find((pid) => pid !== server);
  process.kill(child ?? 0, 'SIGKILL');
  await expect(Promise.race(answers)).rejects.toMatchObject({ kind: 'busy', message: 'killed by SIGKILL' });
  process.kill(server, 'SIGKILL');
  await Promise.allSettled(answers);
  expect((await bench.ask('heads')).text).toBe(`${bench.id}\n`);
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  expect(await bench.processes()).not.toContain(server);
});

it('D12 a child that crashes, or uses up its processor time, is an error', async () => {
  await bench.ask('heads');
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  const [server = 0] = await bench.processes();
  for (const name of ['SIGSEGV', 'SIGXCPU'] as const) {
    const answer = bench.protocol.serve(bench.path, { command: 'heads', caps: '', args: held() }, signal);
    answer.catch(() => {});
    await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(2);
    process.kill((await bench.processes()).find((pid) => pid !== server) ?? 0, name);
    await expect(answer).rejects.toMatchObject({ kind: 'failed' });
    await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  }
});

it('D12 children count in the budget of memory, with what they do not share', async () => {
  const before = memoryBudget.usedBytes;
  const ended = new AbortController();
  const answers = [1, 2, 3].map(() =>
    bench.protocol.serve(bench.path, { command: 'heads', caps: '', args: held() }, ended.signal),
  );
  for (const answer of answers) answer.catch(() => {});
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(4);
  memoryBudget.check();
  const each = (memoryBudget.usedBytes - before) / 3;
  expect(each).toBeGreaterThan(1024 * 1024);
  expect(each).toBeLessThan(20 * 1024 * 1024);
  memoryBudget.setLimit(1);
  await expect(bench.ask('heads')).rejects.toMatchObject({ kind: 'busy' });
  memoryBudget.check();
  for (const answer of answers) await expect(answer).rejects.toMatchObject({ kind: 'busy' });
  memoryBudget.setLimit(Infinity);
  expect((await bench.ask('heads')).text).toBe(`${bench.id}\n`);
});

it('end with their server, of which nothing stays', async () => {
  const socketDir = join(bench.directory, 'other');
  await mkdir(socketDir, { recursive: true });
  const other = createHgProtocol({ ...bench.options, socketDir, forksMax: 2 });
  for (let at = 0; at < 5; at += 1) expect((await bench.ask('heads', '', { by: other })).text).toBe(`${bench.id}\n`);
  const answer = other.serve(bench.path, { command: 'heads', caps: '', args: held() }, signal);
  answer.catch(() => {});
  await expect.poll(() => bench.processes(socketDir), { timeout: waitMs }).toHaveLength(2);
  await other.close();
  await expect(bench.ask('heads', '', { by: other })).rejects.toMatchObject({ kind: 'cancelled' });
  // Its child may not have said yet that it has begun.
  await expect(answer).rejects.toMatchObject({ kind: expect.stringMatching(/^(failed|cancelled)$/) });
  await expect.poll(() => bench.processes(socketDir), { timeout: waitMs }).toEqual([]);
  await expect.poll(() => readdir(socketDir), { timeout: waitMs }).toEqual([]);
});

it('are not started again and again when Mercurial does not start', async () => {
  const broken = createHgProtocol({
    ...bench.options,
    extension: '/nonexistent/x.py',
    socketDir: join(bench.directory, 'away'),
  });
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => bench.ask('heads', '', { by: broken })));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { kind: 'timeout' } });
  expect(bench.failures).toHaveLength(1);
  await expect(bench.ask('heads', '', { by: broken })).rejects.toMatchObject({ kind: 'timeout' });
  expect(bench.failures).toHaveLength(1);
  await broken.close();
});
