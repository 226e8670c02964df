import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { commandLines } from '../testing/processes.ts';
import { dieWithParentCommand, limitedCommand, limitsByWork, type CommandLimits } from './command-limits.ts';
import { runCommand } from './run-command.ts';

const options = { env: { PATH: process.env['PATH'] }, timeoutMs: 60_000, stdoutBytesMax: 1_000 };
const enough: CommandLimits = { memoryBytes: 1e9, fileBytes: 1e6, cpuSeconds: 60 };

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-limited-'));
});
afterAll(() => rm(directory, { recursive: true }));

const run = (script: string, limits: Partial<CommandLimits>) =>
  runCommand(limitedCommand(['sh', '-c', script, 'sh', directory], { ...enough, ...limits }), options);
const takesMemory = 'head -c 80000000 /dev/zero | tail -c 80000000 >/dev/null';

it.each<readonly [string, string, Partial<CommandLimits>]>([
  ['memory', takesMemory, { memoryBytes: 5e7 }],
  ['private memory', takesMemory, { dataBytes: 5e7 }],
  ['file size', 'head -c 8000000 /dev/zero >"$1/large"', { fileBytes: 1e6 }],
  ['CPU time', 'while :; do :; done', { cpuSeconds: 1 }],
])(
  'D8 a command fails when it exceeds its limit of %s, which is no kill by somebody else',
  async (_name, script, less) => {
    expect((await run(script, less)).exitCode).not.toBe(0);
  },
);

it('D8 a command that ignores the signal of its limit of CPU time is killed', async () => {
  await expect(run('trap "" XCPU; while :; do :; done', { cpuSeconds: 1 })).rejects.toMatchObject({ kind: 'busy' });
});

it('a command within its limit of memory succeeds', async () => {
  expect(await run(takesMemory, {})).toMatchObject({ exitCode: 0 });
});

it('D8 a file is cut at the limit of file size, and core dumps are off', async () => {
  await run('head -c 8000000 /dev/zero >"$1/cut"', { fileBytes: 1e6 });
  expect((await stat(join(directory, 'cut'))).size).toBe(1e6);
  expect((await run('ulimit -c', {})).stdout.toString()).toBe('0\n');
});

it('D8 a command is killed when it and its children have written too much in many small files', async () => {
  const mark = `write-${crypto.randomUUID()}`;
  const script = `: ${mark}; while :; do head -c 1000000 /dev/zero >"$1/small"; done`;
  const running = runCommand(['sh', '-c', script, 'sh', directory], { ...options, writtenBytesMax: 1e7 });
  await expect(running).rejects.toMatchObject({ kind: 'too-large' });
  await vi.waitFor(
    async () => {
      expect([...(await commandLines()).values()].filter((line) => line.includes(mark))).toEqual([]);
    },
    { timeout: 20_000 },
  );
});

it('D8 every kind of work has a limit of memory and, except for forks, one of file size', () => {
  const limits = limitsByWork({ memoryBytes: 1, importBytesMax: 1, fetchTimeoutMs: 1_000 });
  for (const [work, { memoryBytes, fileBytes }] of Object.entries(limits)) {
    expect([work, memoryBytes, fileBytes === undefined]).toEqual([work, 1, work === 'fork']);
  }
});

it('D8 what reads allocates at most 1.25 GB, beside the packs that it maps', () => {
  const limits = limitsByWork({ memoryBytes: 2 ** 32, importBytesMax: 1, fetchTimeoutMs: 1_000 });
  const allocated = Object.entries(limits).map(([work, { dataBytes }]) => [work, dataBytes]);
  expect(Object.fromEntries(allocated)).toEqual({ oneShot: 1_280 * 2 ** 20, keptProcess: 1_280 * 2 ** 20 });
});

it('D12 a die-with-parent command is killed when the process that started it dies', async () => {
  const mark = `63.${process.pid}`;
  const isRunning = async () => [...(await commandLines()).values()].some((line) => line === `sleep\0${mark}\0`);
  // The command runs in its own session, which the SIGKILL to the starter's process group does not reach.
  const sleeping = dieWithParentCommand(['sleep', mark], enough).join(' ');
  const starting = runCommand(['sh', '-c', `setsid ${sleeping} & wait`], options);
  await vi.waitFor(async () => expect(await isRunning()).toBe(true), { timeout: 10_000 });
  const [id] = [...(await commandLines())].find(([, line]) => line.startsWith('sh\0') && line.includes(mark)) ?? [];
  process.kill(Number(id), 'SIGKILL');
  await expect(starting).rejects.toMatchObject({ kind: 'busy' });
  await vi.waitFor(async () => expect(await isRunning()).toBe(false), { timeout: 10_000 });
});
