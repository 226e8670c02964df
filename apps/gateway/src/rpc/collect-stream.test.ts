import { PassThrough, Readable } from 'node:stream';
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

const recipient = (user = '1') => ({ user, outgoing: new PassThrough() });

it('returns the bytes of the whole stream', async () => {
  expect((await createCollectStream(4)(incoming(['[1', ',2']), recipient())).toString()).toBe('[1,2');
});

it('A5 collects two answers of a user, and four in all, until their responses have been sent', async () => {
  const collectStream = createCollectStream();
  const done: string[] = [];
  const collect = async (user: string) => {
    const to = recipient(user);
    await collectStream(incoming(['[]']), to);
    done.push(user);
    return to.outgoing;
  };
  const [first] = await Promise.all([collect('1'), collect('1')]);
  const third = collect('1');
  await Promise.all([collect('2'), collect('2')]);
  const other = collect('3');
  await new Promise(setImmediate);
  expect(done).toEqual(['1', '1', '2', '2']);
  first.destroy();
  await third;
  expect(done.at(-1)).toBe('1');
  (await third).destroy();
  await other;
  expect(done.at(-1)).toBe('3');
});

it('counts no answer whose response was closed before', async () => {
  const collectStream = createCollectStream();
  for (let count = 0; count < 3; count += 1) {
    const closed = recipient();
    closed.outgoing.destroy();
    expect((await collectStream(incoming(['[]']), closed)).toString()).toBe('[]');
  }
});

it('refuses a stream beyond the limit, and ends it', async () => {
  const large = incoming(['12', '345']);
  await expect(createCollectStream(4)(large, recipient())).rejects.toThrow(
    'The answer is too large for HTTP/1.0 (the limit is 4 bytes)',
  );
  expect(large.stream.destroyed).toBe(true);
});

it('says that the service is unavailable when the stream breaks off', async () => {
  await expect(createCollectStream()(incoming(['[1'], new BusError('lost')), recipient())).rejects.toMatchObject({
    code: 'unavailable',
  });
});
