import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BusError } from '@trunkline/runtime';
import { expect, it, vi } from 'vitest';
import { createCollectStream } from './collect-stream.ts';

function incoming(pieces: readonly string[], error?: Error) {
  async function* source() {
    for (const piece of pieces) yield Buffer.from(piece);
    if (error) throw error;
  }
  return { length: null, stream: Readable.from(source()) };
}

const recipient = (user = '1') => ({ user, outgoing: new PassThrough() });

it('returns the bytes of the whole stream', async () => {
  const { length, stream } = await createCollectStream(4)(incoming(['[1', ',2']), recipient());
  expect([length, await text(stream)]).toEqual([4, '[1,2']);
});

it('A5 leaves the last of four permits to a user who has none, and ends slow readers of others', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const collectStream = createCollectStream();
  const begin = async (user: string) => {
    const to = recipient(user);
    const { stream } = await collectStream(incoming(['[]']), to);
    await stream[Symbol.asyncIterator]().next();
    return to.outgoing;
  };
  const [one, , three] = [await begin('1'), await begin('1'), await begin('2')];
  const more = begin('2');
  const four = await begin('3');
  expect([one.destroyed, three.destroyed]).toEqual([false, false]);
  now.mockReturnValue(26_000);
  const fifth = begin('4');
  expect([one.destroyed, three.destroyed, four.destroyed]).toEqual([true, false, false]);
  await fifth;
  three.destroy();
  await more;
  now.mockRestore();
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
  await collect('2');
  const fourth = await collect('3');
  const other = collect('4');
  await new Promise(setImmediate);
  expect(done).toEqual(['1', '1', '2', '3']);
  first.destroy();
  await other;
  expect(done).toEqual(['1', '1', '2', '3', '4']);
  for (const outgoing of [fourth, await other]) outgoing.destroy();
  await third;
});

it('counts no answer whose response was closed before', async () => {
  const collectStream = createCollectStream();
  for (let count = 0; count < 3; count += 1) {
    const closed = recipient();
    closed.outgoing.destroy();
    expect((await collectStream(incoming(['[]']), closed)).length).toBe(2);
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
