import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { startApp } from './start-app.ts';

const dir = mkdtempSync(join(tmpdir(), 'trunkline-app-'));
const entry = join(dir, 'app.mjs');
writeFileSync(
  entry,
  'process.send({ threads: process.env.UV_THREADPOOL_SIZE, options: process.execArgv }); setInterval(() => {}, 1_000);',
);

afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function readyApp(): Promise<unknown> {
  const app = await startApp({ entry, env: {}, nodeOptions: ['--enable-source-maps'] });
  await app.kill();
  return app.ready;
}

it('gives apps more threads than Node does, and as many as the environment names', async () => {
  vi.stubEnv('UV_THREADPOOL_SIZE', undefined);
  expect(await readyApp()).toMatchObject({ threads: '16' });
  vi.stubEnv('UV_THREADPOOL_SIZE', '7');
  expect(await readyApp()).toMatchObject({ threads: '7' });
});

it('starts apps that collect all garbage seldom, with the options that they are given', async () => {
  expect(await readyApp()).toMatchObject({ options: ['--enable-source-maps', '--heap-growing-percent=300'] });
});

const entryOf = (level: number, msg: string) =>
  `process.stdout.write(JSON.stringify({ level: ${level}, msg: '${msg}' }) + '\\n');`;
const warning = entryOf(40, 'nats-server has known vulnerabilities');
const error = entryOf(50, 'Postgres is away');

it.each([
  ['its last error, behind which it warns', `${error} ${warning} process.exit(1);`, 'Postgres is away'],
  ['how it ended, when it has only warned', `${warning} process.exit(3);`, 'exit code 3'],
  [
    'its stderr',
    `${warning} process.stderr.write('settings are missing\\n'); process.exit(1);`,
    'settings are missing',
  ],
  [
    'its stderr that begins with a path',
    `process.stderr.write('/srv/a is no storage\\n'); process.exit(1);`,
    '/srv/a is no storage',
  ],
  ['the error that nobody caught', `${error} throw new Error('of the main module');`, 'Error: of the main module'],
  [
    'how it ended beside a warning of Node',
    `process.emitWarning('old'); setImmediate(() => process.exit(4));`,
    'exit code 4',
  ],
])('names as the reason why an app did not start %s', async (_, code, why) => {
  const failing = join(dir, `${crypto.randomUUID()}.mjs`);
  writeFileSync(failing, code);
  const logPath = join(dir, `${crypto.randomUUID()}.log`);
  const message = `a worker did not start: ${why} (log: ${logPath})`;
  await expect(startApp({ entry: failing, env: {}, name: 'a worker', logPath })).rejects.toThrow(message);
});
