import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectBytes } from '../../collect-bytes.ts';
import { readBeginning } from './read-beginning.ts';

const limits = { bytesMax: 5, msMax: 600_000 };

async function* piecesOf(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

const textOf = async (read: Buffer | AsyncIterable<Uint8Array>) =>
  read instanceof Uint8Array ? read.toString() : (await collectBytes(read)).toString();

it('returns all of a short source', async () => {
  const read = await readBeginning(piecesOf('ab', 'cde'), limits);
  expect(read).toBeInstanceOf(Uint8Array);
  expect(await textOf(read)).toBe('abcde');
  expect(await textOf(await readBeginning(piecesOf(), limits))).toBe('');
});

it('returns a long source from its beginning', async () => {
  const read = await readBeginning(piecesOf('ab', 'cdef', 'gh'), limits);
  expect(read).not.toBeInstanceOf(Uint8Array);
  expect(await textOf(read)).toBe('abcdefgh');
});

it('returns a source that is slow, and its piece that is pending', async () => {
  let produce = () => {};
  const produced = new Promise<void>((resolve) => (produce = resolve));
  const slow = async function* () {
    yield Buffer.from('a');
    await produced;
    yield Buffer.from('b');
  };
  const read = await readBeginning(slow(), { bytesMax: 5, msMax: 1 });
  produce();
  expect(read).not.toBeInstanceOf(Uint8Array);
  expect(await textOf(read)).toBe('ab');
});

it('throws the error of a source, at once or where it is read on', async () => {
  const failing = async function* (first: string) {
    yield Buffer.from(first);
    throw new Error('broken');
  };
  await expect(readBeginning(failing('a'), limits)).rejects.toThrow('broken');
  const read = await readBeginning(failing('abcdef'), limits);
  await expect(textOf(read)).rejects.toThrow('broken');
});

it('leaves no error unhandled when nobody reads on', async () => {
  let fail = (_error: Error) => {};
  const failed = new Promise<IteratorResult<Uint8Array>>((_resolve, reject) => (fail = reject));
  const source = { [Symbol.asyncIterator]: () => ({ next: () => failed }) };
  const read = await readBeginning(source, { bytesMax: 5, msMax: 1 });
  fail(new Error('broken'));
  await turn();
  expect(read).not.toBeInstanceOf(Uint8Array);
});
