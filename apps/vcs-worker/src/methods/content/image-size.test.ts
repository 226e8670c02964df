import fc from 'fast-check';
import { expect, it } from 'vitest';
import { imageSizeOf } from './image-size.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const numbers = (...bytes: number[]) => Buffer.from(bytes);

const images = {
  png: Buffer.concat([latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), numbers(0, 0, 2, 128, 0, 0, 1, 224)]),
  gif: Buffer.concat([latin1('GIF89a'), numbers(128, 2, 224, 1, 0)]),
  bmp: Buffer.concat([latin1('BM'), Buffer.alloc(16), numbers(128, 2, 0, 0, 0x20, 0xfe, 0xff, 0xff)]),
  jpeg: Buffer.concat([
    numbers(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc4, 0, 3, 0),
    numbers(0xff, 0xc2, 0, 17, 8, 1, 224, 2, 128, 3),
  ]),
  'webp, lossy': Buffer.concat([latin1('RIFF....WEBPVP8 ....'), Buffer.alloc(6), numbers(128, 2, 224, 1)]),
  'webp, lossless': Buffer.concat([latin1('RIFF....WEBPVP8L....\x2f'), numbers(0x7f, 0xc2, 0x77, 0), Buffer.alloc(9)]),
  'webp, extended': Buffer.concat([latin1('RIFF....WEBPVP8X....\0\0\0\0'), numbers(0x7f, 2, 0, 0xdf, 1, 0)]),
  avif: Buffer.concat([
    latin1('\0\0\0\x1cftypavif'),
    Buffer.alloc(80),
    latin1('ispe\0\0\0\0'),
    numbers(0, 0, 2, 128, 0, 0, 1, 224),
  ]),
};

it.each(Object.entries(images))(
  'reads width and height of %s, and nothing of one that is cut before them',
  (_, image) => {
    expect(imageSizeOf(image)).toEqual({ width: 640, height: 480 });
    expect(imageSizeOf(image.subarray(0, 9))).toBeNull();
  },
);

it('reads those of an icon, in which 0 is 256', () => {
  expect(imageSizeOf(numbers(0, 0, 1, 0, 1, 0, 48, 0))).toEqual({ width: 48, height: 256 });
});

it.each(['', 'text', '<svg width="1"/>', 'BMP is a format of images, and this file is about it', 'GIF89a', 'RIFF'])(
  'finds none in %j',
  (content) => {
    expect(imageSizeOf(latin1(content))).toBeNull();
  },
);

it('finds none in an image that says 0', () => {
  expect(imageSizeOf(Buffer.concat([images.png.subarray(0, 16), Buffer.alloc(8)]))).toBeNull();
});

it('throws for no bytes, whatever they begin with', () => {
  const beginnings = fc.constantFrom(...Object.values(images).map((image) => image.subarray(0, 16)));
  fc.assert(
    fc.property(beginnings, fc.uint8Array({ maxLength: 100 }), (beginning, rest) => {
      const size = imageSizeOf(Buffer.concat([beginning, rest]));
      expect(size === null || size.width > 0).toBe(true);
    }),
  );
});
