import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats } from '@trunkline/local';
import { BusError, connectBus, createLogger } from '@trunkline/runtime';
import { expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { suspend } from '../harness/suspend.ts';

const logger = createLogger({ role: 'test', level: 'silent' });
const reasonOf = (error: unknown) => (error instanceof BusError ? error.reason : error);

it('E5 a client gives up a frozen server whose connection is open, and reconnects once it is thawed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-frozen-bus-'));
  await chmod(dataDir, 0o755);
  const server = await startNats({ dataDir });
  const bus = await connectBus({ url: server.url, name: 'test', logger });
  const becomes = (connected: boolean) =>
    eventually(
      async () => bus.connected,
      (is) => is === connected,
    );
  try {
    await bus.flush();
    await suspend(server.pid);
    const flushed = bus.flush().catch(reasonOf);
    await becomes(false);
    expect(await flushed).toBe('lost');
    expect(await bus.flush().catch(reasonOf)).toBe('not-connected');
    process.kill(server.pid, 'SIGCONT');
    await becomes(true);
    await bus.flush();
  } finally {
    process.kill(server.pid, 'SIGCONT');
    await bus.close();
    await server.stop();
    await rm(dataDir, { recursive: true });
  }
});

it('E5 a process that stops while its server is frozen is told of the requests that were not answered, at once', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-frozen-bus-'));
  await chmod(dataDir, 0o755);
  const server = await startNats({ dataDir });
  const bus = await connectBus({ url: server.url, name: 'test', logger });
  let closed: Promise<void> | undefined;
  try {
    bus.serve('slow', { timeLimitMs: 60_000, handle: () => new Promise(() => {}) });
    await bus.flush();
    await suspend(server.pid);
    const answer = bus.request('slow', new Uint8Array(), 60_000).catch(reasonOf);
    const began = performance.now();
    closed = bus.close();
    expect(await answer).toBe('lost');
    await closed;
    // Less than the time after which a client gives up a frozen server, and than what is left of a stop.
    expect(performance.now() - began).toBeLessThan(5_000);
  } finally {
    process.kill(server.pid, 'SIGCONT');
    await closed;
    await server.stop();
    await rm(dataDir, { recursive: true });
  }
});
