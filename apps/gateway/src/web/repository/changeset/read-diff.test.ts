import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readDiff } from './read-diff.ts';

const start = 'diff --git a/ö b/ö\n--- a/ö\n+++ b/ö\n@@ -0,0 +1 @@\n+';

it('decodes characters that are split between two chunks', async () => {
  const bytes = Buffer.from(`${start}😀\n`);
  const { files } = await readDiff(Readable.from(Array.from(bytes, (byte) => Buffer.of(byte))));
  expect(files[0]).toMatchObject({ newPath: 'ö', hunks: [{ lines: [{ text: '😀' }] }] });
  expect((await readDiff(bytes)).files).toEqual(files);
});

it('destroys the stream of a diff at the limits of the page', async () => {
  let fetched = 0;
  const endless = Readable.from(
    (function* () {
      yield Buffer.from(start);
      for (;;) {
        fetched += 65_536;
        yield Buffer.alloc(65_536, 'a');
      }
    })(),
  );
  expect(await readDiff(endless)).toMatchObject({ truncated: true });
  expect(endless.destroyed).toBe(true);
  expect(fetched).toBeLessThan(9 * 1_024 * 1_024);
});

it('throws UnavailableError when the stream of a diff breaks off', async () => {
  const broken = Readable.from(
    (function* () {
      yield Buffer.from(start);
      throw new Error('broken off');
    })(),
  );
  await expect(readDiff(broken)).rejects.toThrow('temporarily unavailable');
});
