import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  createReadStream,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { bundleScript } from '../harness/bundle-script.ts';

// From there the library finds its files.
const directory = mkdtempSync(join(import.meta.dirname, '../node_modules/.trunkline-log-'));
const prelude = `
  import { createLogger, stopOnSignal } from './runtime.mjs';
  import { setTimeout as wait } from 'node:timers/promises';
  const logger = createLogger({ role: 'test', level: 'info' });
`;

beforeAll(async () => {
  const library = await bundleScript(`export * from '@trunkline/runtime';`, import.meta.dirname);
  writeFileSync(join(directory, 'runtime.mjs'), library);
});
afterAll(() => rmSync(directory, { recursive: true }));

interface Line {
  readonly msg: string;
  readonly number?: number;
  readonly lines?: number;
}

/** Runs a script that logs, in a process of its own; its output is a socket unless a descriptor is given. */
function run(script: string, output: 'pipe' | number = 'pipe', errors: 'pipe' | number = 'pipe'): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', prelude + script], {
    cwd: directory,
    stdio: ['ignore', output, errors, 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Makes a named pipe, which nobody reads until `read` is called; Node's own pipes to children are sockets. */
function makePipe() {
  const temporary = mkdtempSync(join(tmpdir(), 'trunkline-pipe-'));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  const path = join(temporary, 'pipe');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR);
  return {
    fd,
    async read() {
      const stream = createReadStream(path);
      await once(stream, 'open');
      closeSync(fd);
      return text(stream);
    },
  };
}

const read = (log: string) =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));

async function linesOf({ stdout }: ChildProcess): Promise<Line[]> {
  return read(stdout === null ? '' : await text(stdout));
}

it.each(['pipe', 'socket'])('drops and counts lines while nobody reads its %s, and tears none', async (kind) => {
  const pipe = kind === 'pipe' ? makePipe() : null;
  const child = run(
    `
    const line = (number) => logger.info({ number, text: 'x'.repeat(1_000) }, 'call');
    for (let number = 1; number <= 5_000; number += 1) line(number);
    await wait(300);
    const before = process.memoryUsage.rss();
    for (let number = 5_001; number <= 50_000; number += 1) line(number);
    process.send(process.memoryUsage.rss() - before);
    process.once('message', () => logger.flush(() => process.disconnect()));
  `,
    pipe?.fd,
  );
  const [grown] = await once(child, 'message');
  // 45,000 lines would be 50 MB.
  expect(grown).toBeLessThan(25_000_000);
  const reading = pipe === null ? linesOf(child) : pipe.read().then(read);
  child.send('read');
  const lines = await reading;
  const calls = lines.filter(({ number }) => number !== undefined);
  const reports = lines.filter((line) => line.lines !== undefined);
  expect(reports).toHaveLength(1);
  expect(calls.map(({ number }) => number)).toEqual(calls.map((_, index) => index + 1));
  expect(calls.length + (reports[0]?.lines ?? 0)).toBe(50_000);
});

it('writes what waits before it ends, also after an uncaught error', async () => {
  const orderly = run(`logger.info('last'); process.disconnect();`);
  expect(await linesOf(orderly)).toMatchObject([{ msg: 'last' }]);

  const stopped = run(`stopOnSignal(logger, async () => {}); process.send('ready'); setInterval(() => {}, 1_000);`);
  const lines = linesOf(stopped);
  await once(stopped, 'message');
  stopped.kill('SIGTERM');
  expect((await lines).map(({ msg }) => msg)).toEqual(['stopping', 'stopped']);

  const failing = run(
    `logger.info('before'); logger.error('failed'); logger.info('last'); throw new Error('uncaught');`,
  );
  const ended = once(failing, 'exit');
  expect((await linesOf(failing)).map(({ msg }) => msg)).toEqual(['before', 'failed', 'last']);
  expect(await ended).toEqual([1, null]);
});

it('writes what waits before the report of the uncaught error', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'trunkline-log-'));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  const path = join(temporary, 'log');
  const fd = openSync(path, 'a');
  const child = run(`logger.info('before'); throw new Error('uncaught');`, fd, fd);
  closeSync(fd);
  await once(child, 'exit');
  expect(readFileSync(path, 'utf8')).toMatch(/^\{.*"before"\}\n[^]*Error: uncaught/);
});

it('ends when it is asked to, although nobody reads its full pipe', async () => {
  const { fd } = makePipe();
  onTestFinished(() => closeSync(fd));
  const child = run(
    `
    for (let number = 1; number <= 5_000; number += 1) logger.info({ text: 'x'.repeat(1_000) }, 'call');
    stopOnSignal(logger, async () => {});
    setInterval(() => {}, 1_000);
    process.send('ready');
  `,
    fd,
  );
  await once(child, 'message');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it.each(['a full disk', 'a pipe whose reader has gone'])('lives on with %s', async (what) => {
  const script = `
    for (let number = 1; number <= 3; number += 1) {
      logger.info('call');
      logger.error('failed');
      await wait(150);
    }
    process.send('alive');
    process.disconnect();
  `;
  const child = run(script, what === 'a full disk' ? openSync('/dev/full', 'w') : 'pipe');
  const ended = once(child, 'exit');
  child.stdout?.destroy();
  expect((await once(child, 'message'))[0]).toBe('alive');
  expect(await ended).toEqual([0, null]);
});
