import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openSpawner, type OpenSpawner } from '../../testing/open-spawner.ts';
import { memoryBudget } from '../memory-budget.ts';
import { runCommand } from '../run-command.ts';
import { streamCommand } from '../stream-command.ts';
import { setCurrentSpawner } from './spawner.ts';

let opened: OpenSpawner;

beforeAll(async () => {
  opened = await openSpawner();
  setCurrentSpawner(opened.spawner);
});
afterAll(async () => {
  setCurrentSpawner(undefined);
  await opened.close();
});

it('a command whose spawner is lost fails as busy, since nothing is known of its end', async () => {
  const { spawner } = opened;
  const options = { env: process.env, timeoutMs: 60_000 };
  const ran = runCommand(['sleep', '60'], { ...options, stdoutBytesMax: 10 });
  const streamed = text(streamCommand(['sh', '-c', 'echo begun; sleep 60'], options));
  const settled = Promise.allSettled([ran, streamed]);
  await vi.waitFor(() => expect(memoryBudget.counts.running).toBe(2), { timeout: 20_000 });
  process.kill(spawner.pid ?? 0, 'SIGKILL');
  const busy = { status: 'rejected', reason: expect.objectContaining({ name: 'VcsError', kind: 'busy' }) };
  expect(await settled).toEqual([busy, busy]);
  expect(memoryBudget.counts.running).toBe(0);
  await vi.waitFor(() => expect(spawner.isReady).toBe(true), { timeout: 20_000 });
});

// Commands of a spawner do what those do that this process has started.
await import('../run-command.test.ts');
await import('../stream-command.test.ts');
