import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { startApp } from './start-app.ts';

const dir = mkdtempSync(join(tmpdir(), 'trunkline-app-'));
const entry = join(dir, 'app.mjs');
writeFileSync(entry, 'process.send({ threads: process.env.UV_THREADPOOL_SIZE }); setInterval(() => {}, 1_000);');

afterEach(() => vi.unstubAllEnvs());
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function threadsOfApp(): Promise<unknown> {
  const app = await startApp({ entry, env: {} });
  await app.kill();
  return app.ready;
}

it('gives apps more threads than Node does, and as many as the environment names', async () => {
  vi.stubEnv('UV_THREADPOOL_SIZE', undefined);
  expect(await threadsOfApp()).toEqual({ threads: '16' });
  vi.stubEnv('UV_THREADPOOL_SIZE', '7');
  expect(await threadsOfApp()).toEqual({ threads: '7' });
});
