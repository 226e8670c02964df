import type { ServerResponse } from 'node:http';

/** Some bytes as zlib has them uncompressed, without an end. */
function stored(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes]);
}

/** Sends what is plain, then a zlib stream that begins with some bytes and continues without end, zero by zero. */
export function drip(response: ServerResponse, plain: Buffer, begin: Buffer): void {
  response.write(Buffer.concat([plain, Buffer.from([0x78, 0x01]), stored(begin)]));
  const timer = setInterval(() => response.write(stored(Buffer.alloc(1))), 20);
  response.on('close', () => clearInterval(timer));
}
