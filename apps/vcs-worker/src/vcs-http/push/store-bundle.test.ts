import { expect, it } from 'vitest';
import { StorageFullError } from '../../storage/storage-errors.ts';
import { PushRefusedError, PushTooLargeError } from '../../vcs/push.ts';
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

const hasSpaceFor = async () => true;
const start = () => ({ received: 0, hasEnded: false });

it('A4 a bundle that is too large is read to its end, held in no memory, and written as far as a push may go', async () => {
  const { counts, file } = countingFile();
  const { held, body } = source(200, counts);
  const arrival = start();
  await expect(storeBundle(body, file, { argsBytes: 0, bytesMax, arrival, hasSpaceFor })).rejects.toThrow(
    PushTooLargeError,
  );
  expect(arrival).toEqual({ received: 200 * pieceBytes, hasEnded: true });
  expect(counts.written).toBe(bytesMax);
  expect(held.bytesMost).toBe(0);
});

it('a bundle of the size that a push may have is stored', async () => {
  const { counts, file } = countingFile();
  const { held, body } = source(bytesMax / pieceBytes, counts);
  expect(await storeBundle(body, file, { argsBytes: 0, bytesMax, arrival: start(), hasSpaceFor })).toBe('');
  expect([counts.written, held.bytesMost]).toEqual([bytesMax, 0]);
});

it('arguments are at the beginning, wherever it is cut, and have to be complete', async () => {
  async function* body(...pieces: string[]) {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const { counts, file } = countingFile();
  const options = () => ({ argsBytes: 5, bytesMax, arrival: start(), hasSpaceFor });
  expect(await storeBundle(body('he', 'ads', 'HG20'), file, options())).toBe('heads');
  expect(await storeBundle(body('headsHG20'), file, options())).toBe('heads');
  expect(counts.written).toBe(8);
  await expect(storeBundle(body('hea'), file, options())).rejects.toThrow(PushRefusedError);
});

it('A4 a bundle that would fill the storage is read to its end, and written as far as there is space', async () => {
  const { counts, file } = countingFile();
  const megabytes = 1024 * 1024;
  const { body } = source((8 * megabytes) / pieceBytes, counts);
  const asked: number[] = [];
  const arrival = start();
  const stored = storeBundle(body, file, {
    argsBytes: 0,
    bytesMax: 100 * megabytes,
    arrival,
    hasSpaceFor: async (bytes) => {
      asked.push(bytes);
      return counts.written + bytes <= 3 * megabytes;
    },
  });
  await expect(stored).rejects.toThrow(StorageFullError);
  expect(counts.written).toBe(3 * megabytes);
  expect(asked).toEqual([megabytes, megabytes, megabytes]);
  expect(arrival).toEqual({ received: 8 * megabytes, hasEnded: true });
});

it('the free space is not asked for by a bundle of a megabyte, and once for a piece of several', async () => {
  const megabyte = 1024 * 1024;
  const { file } = countingFile();
  const asked: number[] = [];
  const options = {
    argsBytes: 0,
    bytesMax: 10 * megabyte,
    arrival: start(),
    hasSpaceFor: async (bytes: number) => asked.push(bytes) > 0,
  };
  async function* pieces() {
    yield Buffer.alloc(megabyte);
    expect(asked).toEqual([]);
    yield Buffer.alloc(5 * megabyte);
  }
  await storeBundle(pieces(), file, options);
  expect(asked).toEqual([5 * megabyte]);
});
