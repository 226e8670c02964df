import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { commandLines } from '../testing/processes.ts';
import { commandCaller } from './command-caller.ts';
import { dieWithParentCommand } from './limited-command.ts';
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

it.each([
  ['a command that uses much processor time gets a lower priority', undefined, 10],
  ['the only command of a reader gets half of the lower priority when it uses much processor time', 'user 1', 5],
])('%s', async (_, caller, nice) => {
  // Field 19 of the line is the process's priority; autogroup has that of its session, where there is one.
  const lowered = `[ "$(cut -d ' ' -f 19 /proc/$$/stat)" = ${nice} ]`;
  const ofSession = `[ ! -w /proc/$$/autogroup ] || grep -q "nice ${nice}" /proc/$$/autogroup`;
  const script = `until ${lowered} && { ${ofSession}; }; do :; done; echo lowered`;
  const run = () => runCommand(shell(script), { ...limits, timeoutMs: 25_000 });
  setCommandNice(10);
  const ran = caller === undefined ? run() : commandCaller.run(caller, run);
  const { stdout } = await ran.finally(() => setCommandNice(0));
  expect(stdout.toString()).toBe('lowered\n');
});

it('a command that starts under overload gets half of the lower priority at its start', async () => {
  const others = new AbortController();
  setCommandNice(10, () => true);
  // The load is measured while there are commands.
  const other = runCommand(shell('exec sleep 60'), { ...limits, timeoutMs: 60_000, signal: others.signal });
  const readNice = async () =>
    (await runCommand(shell(`read go; cut -d ' ' -f 19 /proc/$$/stat`), { ...limits, input: '\n' })).stdout.toString();
  try {
    await vi.waitFor(async () => expect(await readNice()).toBe('5\n'), { timeout: 20_000 });
  } finally {
    setCommandNice(0);
    others.abort();
    await expect(other).rejects.toMatchObject({ kind: 'cancelled' });
  }
});

/** Returns the processes with this text in their command line that are suspended. */
async function suspendedWith(mark: string): Promise<number[]> {
  const ids = [...(await commandLines())].flatMap(([pid, line]) => (line.includes(mark) ? [pid] : []));
  const stats = await Promise.all(ids.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')));
  return ids.filter((_, index) => /\) T /.test(stats[index] ?? ''));
}

it.each([
  ['long commands of a read compute in turns, and each comes to its end', 200_000, false],
  ['commands of a read start and compute in turns under overload, and each comes to its end', 80_000, true],
])('%s', { timeout: 120_000 }, async (_, rounds, isOverloaded) => {
  const mark = `64${process.pid}`;
  const script = `until [ -e /nonexistent ] || [ $i = ${mark} ]; do i=$((i + 1)); done; echo done`;
  const command = dieWithParentCommand(shell(`i=$((${mark} - ${rounds})); ${script}`), { memoryBytes: 2 ** 31 });
  const suspended = new Set<number>();
  const running = new Set<Promise<unknown>>();
  setCommandNice(1, () => isOverloaded);
  try {
    const runs = Array.from({ length: 2 * availableParallelism() + 2 }, () => {
      const run = commandCaller.run('user 1', () => runCommand(command, { ...limits, timeoutMs: 100_000 }));
      running.add(run);
      return run.finally(() => running.delete(run));
    });
    while (running.size > 0) {
      for (const pid of await suspendedWith(mark)) suspended.add(pid);
      // A turn takes longer; looking all the time would take the processor from the commands.
      await wait(30);
    }
    for (const { stdout } of await Promise.all(runs)) expect(stdout.toString()).toBe('done\n');
  } finally {
    setCommandNice(0);
  }
  expect(suspended.size).toBeGreaterThan(0);
});
