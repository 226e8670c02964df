import type { RequestListener, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createDeflate, deflateSync } from 'node:zlib';
import { drip } from './drip.ts';

const node = 'a'.repeat(40);

function* zeros(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(1 << 20);
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

function changesetHead(bytes: number): Buffer {
  const head = Buffer.alloc(4 + 80 + 12);
  head.writeUInt32BE(head.length + bytes, 0);
  head.fill(0xaa, 4, 24).fill(0xaa, 64, 84).writeUInt32BE(bytes, 92);
  return head;
}

/** A changegroup whose one changeset has a text of so many zeros. */
function* changegroup(bytes: number): Generator<Buffer> {
  yield changesetHead(bytes);
  yield* zeros(bytes);
  yield Buffer.alloc(12);
}

/** Sends some kilobytes that a client unpacks into so many bytes. */
export function zeroBomb(bytes: number): (response: ServerResponse) => void {
  return (response) => pipeline(Readable.from(changegroup(bytes)), createDeflate({ level: 1 }), response, () => {});
}

/** A changeset that arrives byte by byte, without end. */
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

/** Says that what was asked for lies elsewhere. */
export function bundleFrom(url: string): (response: ServerResponse) => void {
  const elsewhere = part('REMOTE-CHANGEGROUP', { url, size: '100', digests: '' });
  const bundle = Buffer.concat([Buffer.from('HG20'), Buffer.alloc(4), elsewhere, Buffer.alloc(4)]);
  return (response) => response.end(deflateSync(bundle));
}

/** A server that has one changeset and sends what it likes for it; it may have further capabilities. */
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
    // Several commands at once are `heads ;known nodes=`, and so are their answers.
    const several = (searchParams.get('cmds') ?? command).split(';').map((each) => each.split(' ')[0] ?? '');
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/mercurial-0.1' });
    if (command === 'getbundle') send(response);
    else response.end(several.map((each) => answers.get(each) ?? '').join(';'));
  };
}
