import { expect, it, vi } from 'vitest';
import { commandLines } from '../testing/processes.ts';
import { runCommand } from './run-command.ts';

const limits = { env: { PATH: process.env['PATH'] }, timeoutMs: 10_000, stdoutBytesMax: 1_000 };
const shell = (script: string) => ['sh', '-c', script];

async function isRunning(mark: string): Promise<boolean> {
  return [...(await commandLines()).values()].some((line) => line.includes(mark));
}

it('tells what was printed and how it ended', async () => {
  expect(await runCommand(shell('echo out; echo err >&2; exit 3'), limits)).toEqual({
    exitCode: 3,
    stdout: Buffer.from('out\n'),
    stderr: 'err\n',
  });
  expect(await runCommand(shell('kill -9 $$'), limits)).toMatchObject({ exitCode: -1 });
});

it('gives nothing to read and none of our environment', async () => {
  const { stdout } = await runCommand(shell('cat; pwd; env | grep -c VITEST'), limits);
  expect(stdout.toString()).toBe('/\n0\n');
});

it('rejects when the command does not exist', async () => {
  await expect(runCommand(['/nonexistent/git'], limits)).rejects.toMatchObject({ kind: 'failed' });
});

it('keeps the end of a long complaint', async () => {
  const { stderr } = await runCommand(shell('seq 10000 >&2'), limits);
  expect(stderr).toHaveLength(4_000);
  expect(stderr).toMatch(/10000\n$/);
});

it.each([
  ['timeout', 'sleep 60.@ & sleep 60.@', { timeoutMs: 200 }],
  ['too-large', 'sleep 60.@ & yes', {}],
] as const)('D12 %s ends the command and all it started', async (kind, script, limit) => {
  const mark = `60.${process.pid}${kind.length}`;
  const running = runCommand(shell(script.replaceAll('60.@', mark)), { ...limits, ...limit });
  await expect(running).rejects.toMatchObject({ kind });
  await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false));
});

it('D12 cancelling ends the command and all it started', async () => {
  const controller = new AbortController();
  const mark = `61.${process.pid}`;
  const running = runCommand(shell(`sleep ${mark} & sleep ${mark}`), { ...limits, signal: controller.signal });
  running.catch(() => {});
  await vi.waitFor(async () => expect(await isRunning(`sleep\0${mark}`)).toBe(true));
  controller.abort();
  await expect(running).rejects.toMatchObject({ kind: 'cancelled' });
  await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false));
  await expect(runCommand(['true'], { ...limits, signal: controller.signal })).rejects.toMatchObject({
    kind: 'cancelled',
  });
});

it('D12 what a command leaves behind ends with it', async () => {
  const mark = `62.${process.pid}`;
  expect(await runCommand(shell(`sleep ${mark} & exit 0`), limits)).toMatchObject({ exitCode: 0 });
  await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false));
});
