import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { scopeOfRead } from '../../process/call-scope.ts';
import type { CommandLimits } from '../../process/command-limits.ts';
import { memoryBudget } from '../../process/memory-budget.ts';
import { collectBytes } from '../../../collect-bytes.ts';
import { openHgProtocolBench, waitMs, type HgProtocolBench } from '../../testing/hg-protocol-bench.ts';
import { commitHg, hg, hgCommand } from '../../testing/tools.ts';
import { createHgStream, type HgRuns, type HgStream } from '../hg-stream.ts';
import { createHgProtocol } from './hg-protocol.ts';
import { NoChildError, ForkServer } from './fork-server.ts';

const scope = scopeOfRead(new AbortController().signal);
const noRuns: HgRuns = { run: async () => null };

let bench: HgProtocolBench;
let large = '';

beforeAll(async () => {
  bench = await openHgProtocolBench();
  large = await bench.freshRepository();
  await commitHg(large, { large: 'x'.repeat(8 << 20) });
}, waitMs);
afterAll(() => bench.close());
afterEach(() => memoryBudget.setLimit(Infinity));

const streamWith = (runs: HgRuns, limits: CommandLimits, ...own: string[]): HgStream =>
  createHgStream({
    hgCommand: [...hgCommand, ...own],
    runs,
    limits,
    timeoutMs: waitMs,
    scope,
  });
const streamBy = (runs: HgRuns, ...own: string[]) => streamWith(runs, { memoryBytes: 2 ** 32 }, ...own);
const catLarge = ['cat', '--rev=tip', '--', 'path:large'];

describe.each(['forked', 'of its own'] as const)('a command in a process %s', (how) => {
  const stream: HgStream = (...args) => streamBy(how === 'forked' ? bench.protocol : noRuns)(...args);

  async function runUnder(limits: CommandLimits & { cpuSeconds: number }, path: string, args: string[]) {
    const { cpuSeconds, ...ofServer } = limits;
    const readLimits = { cpuSeconds, fileBytes: 2 ** 30 };
    const socketDir = await mkdtemp(join(bench.directory, 'limited-'));
    const protocol = createHgProtocol({ ...bench.options, limits: ofServer, readLimits, socketDir });
    try {
      // A command whose server starts late has a process of its own.
      if (how === 'forked') await protocol.digest(bench.path);
      return await collectBytes(streamWith(how === 'forked' ? protocol : noRuns, limits)(path, args));
    } finally {
      await protocol.close();
    }
  }

  it('prints what hg prints', async () => {
    const printed = async (...args: string[]) => (await collectBytes(stream(bench.path, args))).toString();
    const patch = await printed('export', '--git', '--rev=tip');
    expect(patch.startsWith('# HG changeset patch\n')).toBe(true);
    expect(patch).toContain(`\n+${'x'.repeat(100_000)}\n`);
    for (const args of [
      ['status', '--change=tip', '--print0'],
      ['cat', '--rev=tip', 'path:file', 'path:other'],
      ['log', '--template={node} {desc}', '--rev=tip'],
    ]) {
      expect(await printed(...args)).toBe(await hg(bench.path, ...args));
    }
    expect((await collectBytes(stream(large, catLarge))).equals(Buffer.alloc(8 << 20, 'x'))).toBe(true);
  });

  it('fails with its exit code, and with what it has written to stderr for the log', async () => {
    const missing = collectBytes(stream(bench.path, ['cat', '--rev=tip', '--', 'path:missing-\u00fc']));
    const message = expect.stringMatching(/ended with 1: missing-\u00fc: no such file in rev/);
    await expect(missing).rejects.toMatchObject({ kind: 'failed', exitCode: 1, message });
    const unknown = collectBytes(stream(bench.path, ['no-such-command']));
    await expect(unknown).rejects.toMatchObject({ kind: 'failed', exitCode: 255 });
    const away = collectBytes(stream(join(bench.directory, 'away'), ['status']));
    await expect(away).rejects.toMatchObject({ kind: 'failed', exitCode: 255 });
  });

  it('D1 takes no word for another one, and none with NUL', async () => {
    const config = ['cat', '--rev=tip', '--', 'path:--config=extensions.x=/x.py'];
    await expect(collectBytes(stream(bench.path, config))).rejects.toMatchObject({ kind: 'failed', exitCode: 1 });
    await expect(collectBytes(stream(bench.path, ['log', '--rev=tip\0--config=x.y=z']))).rejects.toThrow(
      /NUL|null bytes/,
    );
  });

  it('has the settings with which Mercurial is started', async () => {
    const runs = how === 'forked' ? bench.protocol : noRuns;
    const printed = await collectBytes(streamBy(runs, '--config=web.style=own')(bench.path, ['config', 'web.style']));
    expect(printed.toString()).toBe('own\n');
  });

  it('D12 is too large when it needs more memory than its process may have', async () => {
    const huge = await bench.freshRepository();
    await commitHg(huge, { large: 'x'.repeat(96 << 20) });
    const limits = { memoryBytes: 2 ** 32, dataBytes: 160 << 20, cpuSeconds: 60 };
    await expect(runUnder(limits, huge, catLarge)).rejects.toMatchObject({ kind: 'too-large' });
    const printed = await runUnder(limits, bench.path, ['status', '--change=tip']);
    expect(printed.toString()).toBe('A file\nA other\n');
  });

  it('D12 ends when it has used its processor time', async () => {
    const slow = await bench.freshRepository();
    await commitHg(slow, { ['a'.repeat(40)]: '' });
    const limits = { memoryBytes: 2 ** 32, cpuSeconds: 2 };
    const searching = runUnder(limits, slow, ['log', '--rev=grep("(a+)+b")']);
    await expect(searching).rejects.toMatchObject({ kind: 'failed' });
  });

  it('D12 is not started while the memory of all children is above the budget', async () => {
    const reading = streamBy(bench.protocol)(large, catLarge)[Symbol.asyncIterator]();
    await reading.next();
    memoryBudget.check();
    memoryBudget.setLimit(1);
    await expect(collectBytes(stream(bench.path, ['status', '--change=tip']))).rejects.toMatchObject({ kind: 'busy' });
    await reading.return?.();
  });
});

it('D12 a forked command ends with its reader and with its signal, and a killed one may be tried again', async () => {
  const stream = streamBy(bench.protocol);
  for await (const chunk of stream(large, catLarge)) {
    expect(chunk.length).toBeLessThanOrEqual(64 * 1024);
    expect(await bench.processes()).toHaveLength(2);
    break;
  }
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  const [server = 0] = await bench.processes();
  const ended = new AbortController();
  const begin = async (signal?: AbortSignal) => {
    const chunks = stream(large, catLarge, signal)[Symbol.asyncIterator]();
    await chunks.next();
    return chunks;
  };
  const readAll = async (chunks: AsyncIterator<Uint8Array>) => {
    while (!(await chunks.next()).done);
  };
  const cancelled = await begin(ended.signal);
  ended.abort();
  await expect(readAll(cancelled)).rejects.toMatchObject({ kind: 'cancelled' });
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  const killed = await begin();
  for (const pid of await bench.processes()) if (pid !== server) process.kill(pid, 'SIGKILL');
  await expect(readAll(killed)).rejects.toMatchObject({ kind: 'busy' });
});

it('D12 a command is busy when its fork server is lost, since nothing is wrong with its repository', async () => {
  const stream = streamBy(bench.protocol);
  await collectBytes(stream(bench.path, ['status', '--change=tip']));
  await expect.poll(() => bench.processes(), { timeout: waitMs }).toHaveLength(1);
  const [server = 0] = await bench.processes();
  const chunks = stream(large, catLarge)[Symbol.asyncIterator]();
  await chunks.next();
  process.kill(server, 'SIGKILL');
  const readAll = async () => {
    while (!(await chunks.next()).done);
  };
  await expect(readAll()).rejects.toMatchObject({ kind: 'busy' });
  expect((await collectBytes(stream(bench.path, ['status', '--change=tip']))).toString()).toBe('A file\nA other\n');
});

it('D12 a server that accepts nothing more goes on with its children', async () => {
  const server = new ForkServer(bench.options, join(bench.directory, 'retired'));
  await server.ready;
  const socket = await server.connect();
  server.retire();
  const connect = () =>
    server.connect().then(
      (late) => late.destroy(),
      (error: unknown) => error,
    );
  await expect.poll(connect, { timeout: waitMs }).toBeInstanceOf(NoChildError);
  expect(server.dead).toBe(false);
  socket.destroy();
  await server.ended;
});

it('commands have processes of their own where Mercurial cannot serve requests', async () => {
  const socketDir = join(bench.directory, 'away');
  const broken = createHgProtocol({ ...bench.options, extension: '/nonexistent/x.py', socketDir });
  for (let at = 0; at < 2; at += 1) {
    const printed = await collectBytes(streamBy(broken)(bench.path, ['status', '--change=tip']));
    expect(printed.toString()).toBe('A file\nA other\n');
  }
  expect(bench.failures).toHaveLength(1);
  await broken.close();
});

it('D12 a command waits for no server that starts late, and not beyond its own end', async () => {
  const socketDir = join(bench.directory, 'late');
  const late = createHgProtocol({ ...bench.options, hgCommand: ['/bin/sh', '-c', 'sleep 60'], socketDir });
  const stream = streamBy(late);
  const ended = new AbortController();
  const cancelled = collectBytes(stream(bench.path, ['status', '--change=tip'], ended.signal));
  ended.abort();
  await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
  const printed = await collectBytes(stream(bench.path, ['status', '--change=tip']));
  expect(printed.toString()).toBe('A file\nA other\n');
  await late.close();
});
