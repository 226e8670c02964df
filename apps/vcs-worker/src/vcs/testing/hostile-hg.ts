import type { RequestListener, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { constants, createDeflate, deflateRawSync, deflateSync } from 'node:zlib';
import { drip } from './serve.ts';

const node = 'a'.repeat(40);

function* zeros(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(1 << 20);
  for (let remaining = bytes; remaining > 0; remaining -= piece.length)
    yield piece.subarray(0, Math.min(remaining, piece.length));
}

function changesetHead(bytes: number): Buffer {
  const head = Buffer.alloc(4 + 80 + 12);
  head.writeUInt32BE(head.length + bytes, 0);
  head.fill(0xaa, 4, 24).fill(0xaa, 64, 84).writeUInt32BE(bytes, 92);
  return head;
}

/** Generates a changegroup with one changeset, whose text is this number of zero bytes. */
function* changegroup(bytes: number): Generator<Buffer> {
  yield changesetHead(bytes);
  yield* zeros(bytes);
  yield Buffer.alloc(12);
}

/** Returns a function that sends a compressed changegroup, which a client unpacks into more than `bytes` bytes. */
export function zeroBomb(bytes: number): (response: ServerResponse) => void {
  return (response) => pipeline(Readable.from(changegroup(bytes)), createDeflate({ level: 1 }), response, () => {});
}

/** Sends a changegroup whose one changeset arrives byte by byte, without end. */
export function endlessChangeset(response: ServerResponse): void {
  drip(response, Buffer.alloc(0), changesetHead(1e9));
}

function part(type: string, parameters: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(parameters);
  const sizes = pairs.flatMap(([name, value]) => [name.length, value.length]);
  const head = Buffer.concat([
    Buffer.from([type.length]),
    Buffer.from(type),
    Buffer.from([0, 0, 0, 0, pairs.length, 0, ...sizes]),
    Buffer.from(pairs.flat().join('')),
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, Buffer.alloc(4)]);
}

/** Returns a function that sends a bundle2 whose only part refers to a changegroup at the URL. */
export function bundleFrom(url: string): (response: ServerResponse) => void {
  const elsewhere = part('REMOTE-CHANGEGROUP', { url, size: '100', digests: '' });
  const bundle = Buffer.concat([Buffer.from('HG20'), Buffer.alloc(4), elsewhere, Buffer.alloc(4)]);
  return (response) => response.end(deflateSync(bundle));
}

/** Returns a Mercurial server that announces one changeset and `capabilities`, and answers getbundle with `send`. */
export function hostileHg(send: (response: ServerResponse) => void, capabilities = ''): RequestListener {
  const answers = new Map([
    ['capabilities', `lookup batch branchmap known getbundle ${capabilities}`.trim()],
    ['lookup', `1 ${node}\n`],
    ['heads', `${node}\n`],
    ['known', ''],
    ['branchmap', `default ${node}`],
  ]);
  return (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://host.example');
    const command = searchParams.get('cmd') ?? '';
    // A batch separates its commands by semicolons, as in `heads ;known nodes=`, and so are the answers separated.
    const several = (searchParams.get('cmds') ?? command).split(';').map((each) => each.split(' ')[0] ?? '');
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/mercurial-0.1' });
    if (command === 'getbundle') send(response);
    else response.end(several.map((each) => answers.get(each) ?? '').join(';'));
  };
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a compressed bundle2 as a client pushes it: of a few kilobytes, with a part of this number of mebibytes. */
export function bundleBomb(mebibytes: number): Buffer {
  // Blocks that end in a full flush do not depend on each other, so that one of them may be repeated.
  const block = (bytes: Buffer) => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
  const head = part('CHANGEGROUP', { version: '02' }).subarray(0, -4);
  const zerosOfPart = block(Buffer.alloc(1 << 20));
  const compression = Buffer.from('Compression=GZ');
  return Buffer.concat([
    Buffer.from('HG20'),
    int32(compression.length),
    compression,
    Buffer.from([0x78, 0x9c]),
    block(Buffer.concat([head, int32(mebibytes << 20)])),
    ...Array.from({ length: mebibytes }, () => zerosOfPart),
  ]);
}
