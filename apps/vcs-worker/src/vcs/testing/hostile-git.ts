import { createHash } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';
import { drip } from './serve.ts';

const types = { commit: 1, tree: 2, blob: 3, delta: 7 } as const;

function sha1(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Returns the header of an object in a pack: its type and its stated size. */
function head(type: keyof typeof types, size: number): Buffer {
  const bytes = [(types[type] << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest % 128);
  }
  return Buffer.from(bytes);
}

/** Returns a size as a delta has it: seven bits to a byte, the lowest first. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 0x80, ...varint(Math.floor(value / 128))];
}

function packHead(objects: number): Buffer {
  const start = Buffer.from('PACK\0\0\0\u0002\0\0\0\0');
  start.writeUInt32BE(objects, 8);
  return start;
}

function pack(objects: readonly (readonly Buffer[])[]): Buffer {
  const whole = Buffer.concat([packHead(objects.length), ...objects.flat()]);
  return Buffer.concat([whole, sha1(whole)]);
}

const copiedBytes = 0xff_ff_ff;

/** Returns a pack of some kilobytes: a blob of 16 MiB, and a delta that consists of `copies` copies of that blob. */
export function deltaBomb(copies: number): Buffer {
  const base = Buffer.alloc(copiedBytes);
  const copy = [0xf0, 0xff, 0xff, 0xff];
  const delta = Buffer.from([
    ...varint(copiedBytes),
    ...varint(copies * copiedBytes),
    ...Array.from({ length: copies }, () => copy).flat(),
  ]);
  return pack([
    [head('blob', base.length), deflateSync(base, { level: 1 })],
    [head('delta', delta.length), sha1(`blob ${copiedBytes}\0`, base), deflateSync(delta)],
  ]);
}

/**
 * Returns a pack with one tree of `bytes` zeros, whose header states the size `statedBytes`. git allocates that before it
 * reads the first byte.
 */
export function hugeTree(statedBytes: number, bytes: number): Buffer {
  return pack([[head('tree', statedBytes), deflateSync(Buffer.alloc(bytes), { level: 1 })]]);
}

/** Sends a pack whose one object arrives byte by byte, without end. */
export function endlessPack(response: ServerResponse): void {
  drip(response, Buffer.concat([packHead(1), head('blob', 1e9)]), Buffer.alloc(1));
}

/** Returns a line of the git protocol, which begins with its length. */
const pktLine = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;

/** Returns a smart HTTP server that advertises these refs, all at one commit, and answers a fetch with `send`. */
export function hostileGit(refs: readonly string[], send: (response: ServerResponse) => void): RequestListener {
  const oid = 'a'.repeat(40);
  const [first = 'HEAD', ...others] = refs;
  const lines = [pktLine(`${oid} ${first}\0agent=git/2\n`), ...others.map((ref) => pktLine(`${oid} ${ref}\n`))];
  const advertisement = `001e# service=git-upload-pack\n0000${lines.join('')}0000`;
  return (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' }).end(advertisement);
      return;
    }
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-result' });
    response.write('0008NAK\n');
    send(response);
  };
}
