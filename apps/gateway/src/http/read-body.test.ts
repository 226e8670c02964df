import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { BodyBytes, readBody } from './read-body.ts';

afterEach(() => vi.restoreAllMocks());

function read(...chunks: string[]): Promise<Buffer> {
  const incoming = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage & PassThrough;
  const lowestRate = { bytes: 0, intervalMs: 60_000 };
  const body = readBody(incoming, { bytesMax: 100, lowestRate, onBytes: () => null });
  for (const chunk of chunks) incoming.write(chunk);
  incoming.end();
  return body;
}

it('A11 bytes for which there is no memory are an error of the request alone', async () => {
  const noMemory = new RangeError('Array buffer allocation failed');
  vi.spyOn(BodyBytes.prototype, 'append').mockImplementation(() => {
    throw noMemory;
  });
  await expect(read('a', 'b')).rejects.toBe(noMemory);
});

it('A11 so is a body that cannot be handed over', async () => {
  const failure = new Error('thrown by the test');
  vi.spyOn(BodyBytes.prototype, 'value', 'get').mockImplementation(() => {
    throw failure;
  });
  await expect(read('a')).rejects.toBe(failure);
});
