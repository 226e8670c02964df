import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { commandLines } from '../testing/processes.ts';
import { streamCommand } from './stream-command.ts';

const limits = { env: { PATH: process.env['PATH'] }, timeoutMs: 10_000 };
const shell = (script: string) => ['sh', '-c', script];

async function isRunning(mark: string): Promise<boolean> {
  return [...(await commandLines()).values()].some((line) => line.includes(mark));
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Reads the first chunk; returns it with the iterator for the rest. */
async function begin(stream: AsyncIterable<Uint8Array>) {
  const iterator = stream[Symbol.asyncIterator]();
  return { iterator, first: await iterator.next() };
}

async function stopped(iterator: AsyncIterator<Uint8Array>): Promise<void> {
  await iterator.return?.();
}

it('streams all of stdout; the command has an empty stdin and none of the worker’s environment', async () => {
  expect(await textOf(streamCommand(shell('seq 100000'), limits))).toHaveLength(588_895);
  expect(await textOf(streamCommand(shell('cat; pwd; env | grep -c VITEST; exit 0'), limits))).toBe('/\n0\n');
});

it('writes its input, a text or the stream of another command, to stdin', async () => {
  expect(await textOf(streamCommand(['cat'], { ...limits, input: 'é' }))).toBe('é');
  const input = streamCommand(shell('seq 1000000'), limits);
  expect(await textOf(streamCommand(['wc', '-l'], { ...limits, input }))).toBe('1000000\n');
});

it('starts the command when reading begins', async () => {
  const mark = `70.${process.pid}`;
  const stream = streamCommand(['sleep', mark], limits);
  await setImmediate();
  expect(await isRunning(mark)).toBe(false);
  await stopped(stream[Symbol.asyncIterator]());
  expect(await isRunning(mark)).toBe(false);
});

describe('failures', () => {
  it.each([
    ['a command that fails', 'echo out; seq 10000 >&2; exit 3', /ended with 3: [^]*10000\n$/, 'failed'],
    ['a command that crashes', 'kill -SEGV $$', /ended with -1/, 'failed'],
    ['a command that somebody else kills', 'kill -9 $$', /SIGKILL/, 'busy'],
    ['a command whose own command is killed', 'echo "error: pack-objects died of signal 9" >&2; exit 128', /./, 'busy'],
  ])('%s is an error after all of its stdout', async (_name, script, message, kind) => {
    const iterator = streamCommand(shell(`seq 3; ${script}`), limits)[Symbol.asyncIterator]();
    expect(Buffer.from((await iterator.next()).value ?? '').toString()).toMatch(/^1\n2\n3\n/);
    const rest = (async () => {
      while (!(await iterator.next()).done);
    })();
    await expect(rest).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  it('a command that does not exist is an error', async () => {
    const failed = { kind: 'failed' };
    await expect(textOf(streamCommand(['/nonexistent/git'], limits))).rejects.toMatchObject(failed);
    const input = streamCommand(['/nonexistent/git'], limits);
    await expect(textOf(streamCommand(['cat'], { ...limits, input }))).rejects.toMatchObject(failed);
    await expect(textOf(streamCommand(['/nonexistent/git'], { ...limits, input }))).rejects.toMatchObject(failed);
  });

  it('an error of the input is an error of the stream', async () => {
    const input = streamCommand(shell('seq 3; echo no >&2; exit 7'), limits);
    const feeding = textOf(streamCommand(['cat'], { ...limits, input }));
    await expect(feeding).rejects.toMatchObject({ message: expect.stringContaining('ended with 7: no') });
  });

  it('a command that exits before it has read its input fails only by its exit code', async () => {
    const input = streamCommand(['yes'], limits);
    const mark = `75.${process.pid}`;
    const silent = streamCommand(shell(`echo x; exec sleep ${mark}`), limits);
    expect(await textOf(streamCommand(['true'], { ...limits, input }))).toBe('');
    expect(await textOf(streamCommand(shell('exec <&-; exit 0'), { ...limits, input: silent }))).toBe('');
    await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false), { timeout: 20_000 });
    const failing = textOf(streamCommand(['false'], { ...limits, input }));
    await expect(failing).rejects.toMatchObject({ message: expect.stringContaining('ended with 1') });
  });
});

describe('D12', () => {
  it.each(['sleep 71.@', 'exec >&-; sleep 71.@'])('a timeout kills command and children: %s', async (script) => {
    const mark = `71.${process.pid}${script.length}`;
    const silent = streamCommand(shell(`sleep 71.@ & ${script}`.replaceAll('71.@', mark)), {
      ...limits,
      timeoutMs: 200,
    });
    await expect(textOf(silent)).rejects.toMatchObject({ kind: 'timeout' });
    await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false), { timeout: 20_000 });
  });

  it('the time that a reader takes does not count for the timeout', async () => {
    let now = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for await (const chunk of streamCommand(shell('seq 100000'), limits)) {
        now += chunk.length;
        vi.advanceTimersByTime(limits.timeoutMs * 2);
      }
    } finally {
      vi.useRealTimers();
    }
    expect(now).toBe(588_895);
  });

  it('a slow reader slows down the command and its input', async () => {
    const piece = Buffer.alloc(65_536);
    let ahead = 0;
    let most = 0;
    async function* pieces() {
      for (let count = 0; count < 200; count += 1) {
        yield piece;
        ahead += piece.length;
        most = Math.max(most, ahead);
      }
    }
    for await (const chunk of streamCommand(['cat'], { ...limits, input: pieces() })) {
      ahead -= chunk.length;
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    }
    expect(ahead).toBe(0);
    expect(most).toBeLessThan(2_000_000);
  });

  it.each([
    ['between two chunks', 'yes & sleep 72.@'],
    ['while the next chunk is awaited', 'echo x; sleep 72.@ & sleep 72.@'],
  ])('a command is killed with its children when its reader stops %s', async (_when, script) => {
    const mark = `72.${process.pid}${script.length}`;
    const { iterator } = await begin(streamCommand(shell(script.replaceAll('72.@', mark)), limits));
    const waiting = script.startsWith('echo') ? [iterator.next().catch(String)] : [];
    expect(await isRunning(mark)).toBe(true);
    await stopped(iterator);
    for (const outcome of await Promise.all(waiting)) expect(outcome).toContain('cancelled');
    await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false), { timeout: 20_000 });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('a command that feeds another is killed, too, when the reader stops', async () => {
    const mark = `73.${process.pid}`;
    const input = streamCommand(shell(`echo x; sleep ${mark} & sleep ${mark}`), limits);
    const { iterator } = await begin(streamCommand(['cat'], { ...limits, input }));
    await stopped(iterator);
    await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false), { timeout: 20_000 });
  });

  it('a cancelled command is killed with its children, and does not start when cancelled before', async () => {
    const controller = new AbortController();
    const mark = `74.${process.pid}`;
    const options = { ...limits, signal: controller.signal };
    const { iterator } = await begin(streamCommand(shell(`echo x; sleep ${mark} & sleep ${mark}`), options));
    const failing = iterator.next();
    failing.catch(() => {});
    controller.abort();
    await expect(failing).rejects.toMatchObject({ kind: 'cancelled' });
    await vi.waitFor(async () => expect(await isRunning(mark)).toBe(false), { timeout: 20_000 });
    await expect(textOf(streamCommand(['true'], options))).rejects.toMatchObject({ kind: 'cancelled' });
  });
});
