import { createHash } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';
import { drip } from './drip.ts';

const types = { commit: 1, tree: 2, blob: 3, delta: 7 } as const;

function sha1(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The head of an object in a pack: its type and what it says its size is. */
function head(type: keyof typeof types, size: number): Buffer {
  const bytes = [(types[type] << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest % 128);
  }
  return Buffer.from(bytes);
}

function number(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 0x80, ...number(Math.floor(value / 128))];
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

/** Some kilobytes whose second object is put together from many copies of the first. */
export function deltaBomb(copies: number): Buffer {
  const base = Buffer.alloc(copiedBytes);
  const copy = [0xf0, 0xff, 0xff, 0xff];
  const delta = Buffer.from([
    ...number(copiedBytes),
    ...number(copies * copiedBytes),
    ...Array.from({ length: copies }, () => copy).flat(),
  ]);
  return pack([
    [head('blob', base.length), deflateSync(base, { level: 1 })],
    [head('delta', delta.length), sha1(`blob ${copiedBytes}\0`, base), deflateSync(delta)],
  ]);
}

/** An object that is larger than it says, by far: `said` is allocated before the first byte is read. */
export function hugeTree(said: number, bytes: number): Buffer {
  return pack([[head('tree', said), deflateSync(Buffer.alloc(bytes), { level: 1 })]]);
}

/** An object that arrives byte by byte, without end. */
export function endlessPack(response: ServerResponse): void {
  drip(response, Buffer.concat([packHead(1), head('blob', 1e9)]), Buffer.alloc(1));
}

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** A server that says it has these references, all to one commit, and sends what it likes for them. */
export function hostileGit(refs: readonly string[], send: (response: ServerResponse) => void): RequestListener {
  const oid = 'a'.repeat(40);
  const [first = 'HEAD', ...others] = refs;
  const lines = [line(`${oid} ${first}\0agent=git/2\n`), ...others.map((ref) => line(`${oid} ${ref}\n`))];
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
