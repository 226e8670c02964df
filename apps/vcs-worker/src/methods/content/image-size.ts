/** Width and height of an image in pixels. */
interface ImageSize {
  readonly width: number;
  readonly height: number;
}

type Reader = (bytes: Buffer) => ImageSize | null;

const png: Reader = (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) });

const gif: Reader = (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) });

/** A negative height stands for rows from the top to the bottom. */
const bmp: Reader = (bytes) => ({ width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) });

/** The size of the first image in an icon; 0 stands for 256. */
const ico: Reader = (bytes) => ({ width: bytes[6] || 256, height: bytes[7] || 256 });

const segmentsMax = 1_000;

/** The size is in the segment of the frame, one of C0 to CF but for tables and extensions. */
const jpeg: Reader = (bytes) => {
  let offset = 2;
  for (let count = 0; count < segmentsMax && offset + 9 <= bytes.length && bytes[offset] === 0xff; count += 1) {
    const marker = bytes[offset + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: bytes.readUInt16BE(offset + 7), height: bytes.readUInt16BE(offset + 5) };
    // A marker may be padded; its segment says its length, itself included.
    offset += marker === 0xff ? 1 : 2 + Math.max(bytes.readUInt16BE(offset + 2), 2);
  }
  return null;
};

const webp: Reader = (bytes) => {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
};

const headBytesMax = 4_096;

/** The first box `ispe` has the size of the image, or of its largest part. */
const avif: Reader = (bytes) => {
  const box = bytes.subarray(0, headBytesMax).indexOf('ispe');
  if (box < 0 || box + 16 > bytes.length) return null;
  return { width: bytes.readUInt32BE(box + 8), height: bytes.readUInt32BE(box + 12) };
};

/** How each format begins, how many bytes its reader needs, and the reader. */
const formats: readonly (readonly [beginning: RegExp, bytesMin: number, read: Reader])[] = [
  [/^\x89PNG\r\n/, 24, png],
  [/^GIF8[79]a/, 10, gif],
  [/^BM/, 26, bmp],
  // oxlint-disable-next-line no-control-regex -- Icons begin with these bytes.
  [/^\0\0\x01\0/, 8, ico],
  [/^\xff\xd8\xff/, 3, jpeg],
  [/^RIFF.{4}WEBP/s, 30, webp],
  [/^.{4}ftypavi[fs]/s, 12, avif],
];

const pixelsMax = 1_000_000;
const isPossible = (pixels: number) => pixels > 0 && pixels <= pixelsMax;

/** Returns the size that the beginning of an image says; null for what is no image, or says nothing that can be true. */
export function imageSizeOf(beginning: Uint8Array): ImageSize | null {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.length);
  const signature = bytes.toString('latin1', 0, 16);
  const format = formats.find(([pattern, bytesMin]) => bytes.length >= bytesMin && pattern.test(signature));
  const size = format ? format[2](bytes) : null;
  return size && isPossible(size.width) && isPossible(size.height) ? size : null;
}
