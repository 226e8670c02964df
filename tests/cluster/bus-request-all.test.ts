import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeError, encodeResult, InternalError } from '@trunkline/contracts';
import { startNats } from '@trunkline/local';
import { connectBus, createLogger, type Bus } from '@trunkline/runtime';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const timeLimitMs = 30_000;
const windowMs = 1_000;
const logger = createLogger({ role: 'test', level: 'silent' });

let directory: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let buses: Bus[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-bus-'));
  await chmod(directory, 0o755);
  nats = await startNats({ dataDir: join(directory, 'nats') });
  const names = ['first', 'second', 'client'];
  buses = await Promise.all(names.map((name) => connectBus({ url: nats.url, name, logger })));
});
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await nats.stop();
  await rm(directory, { recursive: true });
});

it('a request to all collects the results of all who serve the subject, and no errors', async () => {
  const subject = randomUUID();
  const [first, second, client] = buses;
  first?.serve(subject, { timeLimitMs, handle: async () => encodeResult('first') });
  first?.serve(subject, { timeLimitMs, handle: async () => encodeError(new InternalError()) });
  second?.serve(subject, { timeLimitMs, handle: async (payload) => encodeResult(Buffer.from(payload).toString()) });
  await Promise.all([first?.flush(), second?.flush()]);
  // On a busy machine the answers to one request may be late.
  await vi.waitFor(
    async () => {
      const results: string[] = [];
      await client?.requestAll(subject, Buffer.from('asked'), windowMs, (payload) =>
        results.push(String(JSON.parse(Buffer.from(payload).toString()))),
      );
      expect(results.toSorted()).toEqual(['asked', 'first']);
    },
    { timeout: timeLimitMs },
  );
});

it('a request to all fails when nobody serves the subject', async () => {
  const request = buses[2]?.requestAll(randomUUID(), new Uint8Array(), windowMs, () => {});
  await expect(request).rejects.toMatchObject({ reason: 'no-responders' });
});
