import { expect, it } from 'vitest';
import { PushRefusedError, PushTooLargeError } from '../vcs/push.ts';
import { storeBundle } from './store-bundle.ts';

const pieceBytes = 64 * 1024;
const bytesMax = 1024 * 1024;

/** A file that counts what is written to it. */
function countingFile() {
  const counts = { written: 0 };
  const writeFile = async (bytes: unknown) => void (counts.written += (bytes as Uint8Array).length);
  return { counts, file: { writeFile } };
}

/** Gives one piece again and again; counts the pieces that are asked for before the former one was written. */
function source(pieces: number, counts: { readonly written: number }) {
  const piece = Buffer.alloc(pieceBytes);
  const held = { bytesMost: 0 };
  async function* give() {
    for (let at = 0; at < pieces; at += 1) {
      held.bytesMost = Math.max(held.bytesMost, Math.min(at * pieceBytes, bytesMax) - counts.written);
      yield piece;
    }
  }
  return { held, body: give() };
}

const start = () => ({ received: 0, hasEnded: false });

it('A4 a bundle that is too large is read to its end, held in no memory, and written as far as a push may go', async () => {
  const { counts, file } = countingFile();
  const { held, body } = source(200, counts);
  const arrival = start();
  await expect(storeBundle(body, file, { argsBytes: 0, bytesMax, arrival })).rejects.toThrow(PushTooLargeError);
  expect(arrival).toEqual({ received: 200 * pieceBytes, hasEnded: true });
  expect(counts.written).toBe(bytesMax);
  expect(held.bytesMost).toBe(0);
});

it('a bundle of the size that a push may have is stored', async () => {
  const { counts, file } = countingFile();
  const { held, body } = source(bytesMax / pieceBytes, counts);
  expect(await storeBundle(body, file, { argsBytes: 0, bytesMax, arrival: start() })).toBe('');
  expect([counts.written, held.bytesMost]).toEqual([bytesMax, 0]);
});

it('arguments are at the beginning, wherever it is cut, and have to be complete', async () => {
  async function* body(...pieces: string[]) {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const { counts, file } = countingFile();
  const options = () => ({ argsBytes: 5, bytesMax, arrival: start() });
  expect(await storeBundle(body('he', 'ads', 'HG20'), file, options())).toBe('heads');
  expect(await storeBundle(body('headsHG20'), file, options())).toBe('heads');
  expect(counts.written).toBe(8);
  await expect(storeBundle(body('hea'), file, options())).rejects.toThrow(PushRefusedError);
});
