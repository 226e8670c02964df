import { Readable } from 'node:stream';
import { BusError } from '@trunkline/runtime';
import { expect, it } from 'vitest';
import { createCollectStream } from './collect-stream.ts';

function incoming(pieces: readonly string[], error?: Error) {
  async function* source() {
    for (const piece of pieces) yield Buffer.from(piece);
    if (error) throw error;
  }
  return { length: null, stream: Readable.from(source()), bytesRead: () => 0 };
}

it('returns the bytes of the whole stream', async () => {
  expect((await createCollectStream(4)(incoming(['[1', ',2'].map((piece) => piece.slice(0, 2))))).toString()).toBe(
    '[1,2',
  );
});

it('refuses a stream beyond the limit, and ends it', async () => {
  const large = incoming(['12', '345']);
  await expect(createCollectStream(4)(large)).rejects.toThrow(
    'The answer is too large for HTTP/1.0 (the limit is 4 bytes)',
  );
  expect(large.stream.destroyed).toBe(true);
});

it('says that the service is unavailable when the stream breaks off', async () => {
  await expect(createCollectStream()(incoming(['[1'], new BusError('lost')))).rejects.toMatchObject({
    code: 'unavailable',
  });
});
