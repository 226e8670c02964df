import type { ServerResponse } from 'node:http';

/** Returns bytes as a stored (uncompressed) DEFLATE block that is not the last one. */
function stored(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes]);
}

/** Sends `plain`, then a zlib stream that unpacks to `begin` and, every 20 ms, one further zero, without end. */
export function drip(response: ServerResponse, plain: Buffer, begin: Buffer): void {
  response.write(Buffer.concat([plain, Buffer.from([0x78, 0x01]), stored(begin)]));
  const timer = setInterval(() => response.write(stored(Buffer.alloc(1))), 20);
  response.on('close', () => clearInterval(timer));
}
