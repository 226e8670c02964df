import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { batched } from './batched.ts';

async function* piecesOf(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function textsOf(pieces: AsyncIterable<Buffer>): Promise<string[]> {
  const texts: string[] = [];
  for await (const piece of pieces) texts.push(piece.toString());
  return texts;
}

it('joins pieces up to a number of bytes', async () => {
  const source = piecesOf('ab', 'cd', 'ef', '', 'gh', 'i');
  expect(await textsOf(batched(source, { bytesMax: 4, msMax: 600_000 }))).toEqual(['abcd', 'efgh', 'i']);
  expect(await textsOf(batched(piecesOf(), { bytesMax: 4, msMax: 600_000 }))).toEqual([]);
});

it('does not wait long for more', async () => {
  let produce = () => {};
  const produced = new Promise<void>((resolve) => (produce = resolve));
  const source = async function* () {
    yield Buffer.from('a');
    await produced;
    yield Buffer.from('b');
  };
  const batches = batched(source(), { bytesMax: 4, msMax: 1 });
  expect((await batches.next()).value?.toString()).toBe('a');
  produce();
  expect(await text(batches)).toBe('b');
});

it('ends its source with its reader, and fails with its source', async () => {
  let hasEnded = false;
  const source = async function* () {
    try {
      for (;;) yield Buffer.from('abcd');
    } finally {
      hasEnded = true;
    }
  };
  const batches = batched(source(), { bytesMax: 4, msMax: 600_000 });
  await batches.next();
  await batches.return(undefined);
  expect(hasEnded).toBe(true);
  const failing = async function* () {
    yield Buffer.from('a');
    throw new Error('broken');
  };
  await expect(text(batched(failing(), { bytesMax: 4, msMax: 600_000 }))).rejects.toThrow('broken');
});
