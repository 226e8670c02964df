import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { VcsBackend } from '../backend.ts';
import { commandLines } from '../testing/processes.ts';
import { hgCommand } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';
import { CommandServer } from './command-server.ts';

const limits = { timeoutMs: 10_000, stdoutBytesMax: 1e6 };
const words = [...hgCommand, '--config=ui.interactive=False', 'serve', '--cmdserver', 'pipe'];
const env = { PATH: process.env['PATH'], HGRCPATH: '', HGPLAIN: '+strictflags' };
const servers: CommandServer[] = [];

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(async () => {
  for (const server of servers) server.kill();
  await bench.close();
});

function start(command: readonly string[] = words): CommandServer {
  const server = new CommandServer(command, env);
  servers.push(server);
  return server;
}

async function processesWith(mark: string): Promise<number[]> {
  return [...(await commandLines())].flatMap(([id, line]) => (line.includes(mark) ? [id] : []));
}

it('runs one command after another and returns the exit code of each', async () => {
  const server = start();
  expect((await server.run(['version', '-q'], limits)).stdout.toString()).toContain('Mercurial');
  expect(await server.run(['nonsense'], limits)).toMatchObject({
    exitCode: 255,
    stderr: expect.stringContaining('nonsense'),
  });
  expect(await server.run(['version', '-q'], limits)).toMatchObject({ exitCode: 0 });
  expect(await server.memoryBytes()).toBeGreaterThan(1e6);
});

it('answers a prompt of Mercurial with end of file instead of waiting', async () => {
  const asking = ['--config=ui.interactive=True', 'debuguiprompt', '--prompt', 'well?'];
  expect((await start().run(asking, limits)).exitCode).not.toBe(0);
});

it('D1 refuses an argument with NUL, which would become two arguments', async () => {
  const server = start();
  await expect(server.run(['version', 'a\0--debugger'], limits)).rejects.toThrow('NUL');
  expect(await server.run(['version', '-q'], limits)).toMatchObject({ exitCode: 0 });
});

it.each([
  ['does not exist', ['/nonexistent/hg'], 'failed'],
  ['ends at once', ['false'], 'failed'],
  ['speaks no protocol', ['sh', '-c', 'echo Warning: nonsense; exec sleep 60'], 'failed'],
  ['prints nothing', ['sh', '-c', 'exec sleep 60'], 'timeout'],
])('D11 a server that %s is dead afterwards', async (_name, command, kind) => {
  const server = start(command);
  await expect(server.run(['version'], { ...limits, timeoutMs: 500 })).rejects.toMatchObject({ kind });
  expect(server.dead).toBe(true);
  await server.ended;
  await expect(server.run(['version'], limits)).rejects.toMatchObject({ kind: 'failed' });
});

it('D11 a command that exceeds a limit or is cancelled kills its server', async () => {
  const talking = start();
  await expect(talking.run(['help', 'config'], { ...limits, stdoutBytesMax: 10 })).rejects.toMatchObject({
    kind: 'too-large',
  });
  expect(talking.dead).toBe(true);
  const cancelled = start();
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(cancelled.run(['version'], { ...limits, signal })).rejects.toMatchObject({ kind: 'cancelled' });
  await cancelled.ended;
});

it('D11 killed servers are replaced', async () => {
  const mark = `trunkline.mark=${crypto.randomUUID()}`;
  const backend: VcsBackend = (await bench.open({ hgCommand: [...hgCommand, `--config=${mark}`] })).hg;
  const path = bench.freshPath();
  await backend.init(path, 'uuid');
  for (let time = 0; time < 3; time += 1) {
    expect(await backend.tip(path)).toBeNull();
    for (const id of await processesWith(mark)) process.kill(id, 'SIGKILL');
  }
  expect(await backend.tip(path)).toBeNull();
});

it('closing the back end leaves no server process', async () => {
  const mark = `trunkline.mark=${crypto.randomUUID()}`;
  const own = await openWorkbench();
  const { hg } = await own.open({ hgCommand: [...hgCommand, `--config=${mark}`] });
  const path = own.freshPath();
  await hg.init(path, 'uuid');
  expect(await processesWith(mark)).toHaveLength(1);
  await own.close();
  await vi.waitFor(async () => expect(await processesWith(mark)).toEqual([]), { timeout: 20_000 });
});
