import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { commandLines } from '../testing/processes.ts';
import type { CommandLimits } from './command-limits.ts';
import { limitsByWork } from './command-limits.ts';
import { fencedCommand, limitedCommand } from './fenced-command.ts';
import { runCommand } from './run-command.ts';

const options = { env: { PATH: process.env['PATH'] }, timeoutMs: 60_000, stdoutBytesMax: 1_000 };
const enough: CommandLimits = { memoryBytes: 1e9, fileBytes: 1e6, cpuSeconds: 60 };

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-fence-'));
});
afterAll(() => rm(directory, { recursive: true }));

const run = (script: string, limits: Partial<CommandLimits>) =>
  runCommand(limitedCommand(['sh', '-c', script, 'sh', directory], { ...enough, ...limits }), options);
const takesMemory = 'head -c 80000000 /dev/zero | tail -c 80000000 >/dev/null';

it.each<readonly [string, string, Partial<CommandLimits>]>([
  ['memory', takesMemory, { memoryBytes: 5e7 }],
  ['one file', 'head -c 8000000 /dev/zero >"$1/large"', { fileBytes: 1e6 }],
  ['processor time', 'while :; do :; done', { cpuSeconds: 1 }],
])('D8 a command gets no more %s than it may take', async (_name, script, less) => {
  expect((await run(script, less)).exitCode).not.toBe(0);
});

it('a command gets the memory that it may take', async () => {
  expect(await run(takesMemory, {})).toMatchObject({ exitCode: 0 });
});

it('D8 a file ends where it is too large, and no core is dumped', async () => {
  await run('head -c 8000000 /dev/zero >"$1/cut"', { fileBytes: 1e6 });
  expect((await stat(join(directory, 'cut'))).size).toBe(1e6);
  expect((await run('ulimit -c', {})).stdout.toString()).toBe('0\n');
});

it('D8 many small files are counted together, also of what it starts', async () => {
  const mark = `write-${crypto.randomUUID()}`;
  const script = `: ${mark}; while :; do head -c 1000000 /dev/zero >"$1/small"; done`;
  const running = runCommand(['sh', '-c', script, 'sh', directory], { ...options, writtenBytesMax: 1e7 });
  await expect(running).rejects.toMatchObject({ kind: 'too-large' });
  await vi.waitFor(async () => {
    expect([...(await commandLines()).values()].filter((line) => line.includes(mark))).toEqual([]);
  });
});

it('D8 every kind of work has bounded memory and writes no file without end but a copy', () => {
  const limits = limitsByWork({ memoryBytes: 1, importBytesMax: 1, fetchTimeoutMs: 1_000 });
  for (const [work, { memoryBytes, fileBytes }] of Object.entries(limits)) {
    expect([work, memoryBytes, fileBytes === undefined]).toEqual([work, 1, work === 'fork']);
  }
});

it('D12 a fenced command dies with whoever started it', async () => {
  const mark = `63.${process.pid}`;
  const isRunning = async () => [...(await commandLines()).values()].some((line) => line === `sleep\0${mark}\0`);
  // In a session of its own, which the end of its starter's group does not reach.
  const sleeping = fencedCommand(['sleep', mark], enough).join(' ');
  const starting = runCommand(['sh', '-c', `setsid ${sleeping} & wait`], options);
  await vi.waitFor(async () => expect(await isRunning()).toBe(true), { timeout: 10_000 });
  const [id] = [...(await commandLines())].find(([, line]) => line.startsWith('sh\0') && line.includes(mark)) ?? [];
  process.kill(Number(id), 'SIGKILL');
  expect(await starting).toMatchObject({ exitCode: -1 });
  await vi.waitFor(async () => expect(await isRunning()).toBe(false), { timeout: 10_000 });
});
