import { expect, it, vi } from 'vitest';
import { commandLines } from '../testing/processes.ts';
import { setCommandNice } from './lower-priority.ts';
import { runCommand } from './run-command.ts';

const limits = { env: { PATH: process.env['PATH'] }, timeoutMs: 10_000, stdoutBytesMax: 1_000 };
const shell = (script: string) => ['sh', '-c', script];

async function isRunning(mark: string): Promise<boolean> {
  return [...(await commandLines()).values()].some((line) => line.includes(mark));
}

it('returns stdout, stderr and the exit code', async () => {
  expect(await runCommand(shell('echo out; echo err >&2; exit 3'), limits)).toEqual({
    exitCode: 3,
    stdout: Buffer.from('out\n'),
    stderr: 'err\n',
  });
  expect(await runCommand(shell('kill -SEGV $$'), limits)).toMatchObject({ exitCode: -1 });
});

it.each(['KILL', 'TERM', 'INT', 'HUP'])(
  'a command that somebody else ends by SIG%s may be tried again',
  async (name) => {
    await expect(runCommand(shell(`kill -${name} $$`), limits)).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining(`SIG${name}`),
    });
  },
);

it('runs a command in / with an empty stdin and none of the worker’s environment', async () => {
  const { stdout } = await runCommand(shell('cat; pwd; env | grep -c VITEST'), limits);
  expect(stdout.toString()).toBe('/\n0\n');
});

it('rejects when the command does not exist', async () => {
  await expect(runCommand(['/nonexistent/git'], limits)).rejects.toMatchObject({ kind: 'failed' });
});

it('keeps the last 4 000 characters of stderr', async () => {
  const { stderr } = await runCommand(shell('seq 10000 >&2'), limits);
  expect(stderr).toHaveLength(4_000);
  expect(stderr).toMatch(/10000\n$/);
});

it.each([
  ['timeout', 'sleep 60.@ & sleep 60.@', { timeoutMs: 200 }],
  ['too-large', 'sleep 60.@ & yes', {}],
] as const)('D12 a command is killed with its children on %s', async (kind, script, limit) => {
  const mark = `60.${process.pid}${kind.length}`;
  const running = runCommand(shell(script.replaceAll('60.@', mark)), { ...limits, ...limit });
  await expect(running).rejects.toMatchObject({ kind });
  await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false), { timeout: 20_000 });
});

it('D12 a cancelled command is killed with its children, and does not start when cancelled before', async () => {
  const controller = new AbortController();
  const mark = `61.${process.pid}`;
  const running = runCommand(shell(`sleep ${mark} & sleep ${mark}`), { ...limits, signal: controller.signal });
  running.catch(() => {});
  await vi.waitFor(async () => expect(await isRunning(`sleep\0${mark}`)).toBe(true), { timeout: 20_000 });
  controller.abort();
  await expect(running).rejects.toMatchObject({ kind: 'cancelled' });
  await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false), { timeout: 20_000 });
  await expect(runCommand(['true'], { ...limits, signal: controller.signal })).rejects.toMatchObject({
    kind: 'cancelled',
  });
});

it('D12 background children of a command are killed when it exits', async () => {
  const mark = `62.${process.pid}`;
  expect(await runCommand(shell(`sleep ${mark} & exit 0`), limits)).toMatchObject({ exitCode: 0 });
  await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false), { timeout: 20_000 });
});

it('D12 a descendant that has left the process group and holds the pipes does not keep a command that has exited', async () => {
  const mark = `63.${process.pid}`;
  const script = `{ setsid sh -c 'echo left; exec sleep ${mark}' & } | read line; exit 0`;
  const running = runCommand(shell(script), { ...limits, timeoutMs: 3_600_000, openPipesMsMax: 200 });
  try {
    await expect(running).rejects.toMatchObject({ kind: 'failed', message: expect.stringContaining('descendant') });
  } finally {
    for (const [pid, line] of await commandLines()) if (line.includes(`sleep\0${mark}`)) process.kill(pid, 'SIGKILL');
  }
});

it('a command that uses much processor time gets a lower priority', async () => {
  // Field 19 of the line is the process's priority; autogroup has that of its session, where there is one.
  const lowered = `[ "$(cut -d ' ' -f 19 /proc/$$/stat)" = 10 ]`;
  const ofSession = `[ ! -w /proc/$$/autogroup ] || grep -q "nice 10" /proc/$$/autogroup`;
  const script = `until ${lowered} && { ${ofSession}; }; do :; done; echo lowered`;
  setCommandNice(10);
  const ran = runCommand(shell(script), { ...limits, timeoutMs: 25_000 });
  const { stdout } = await ran.finally(() => setCommandNice(0));
  expect(stdout.toString()).toBe('lowered\n');
});
