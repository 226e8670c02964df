import { nameBytes } from '@trunkline/runtime/text';

/** A frame of the command server's protocol: the letter of a channel, a length and that many bytes. */
export type Frame =
  | { readonly channel: 'o' | 'e' | 'r' | 'd'; readonly data: Buffer }
  /** A request of the server for input; it gets none. */
  | { readonly channel: 'I' | 'L'; readonly data: null };

const headBytes = 5;
const dataBytesMax = 256 * 1024 * 1024;

interface Head {
  readonly channel: Frame['channel'];
  readonly length: number;
}

function readHead(bytes: Buffer): Head {
  const channel = String.fromCharCode(bytes[0] ?? 0);
  const length = bytes.readUInt32BE(1);
  switch (channel) {
    case 'I':
    case 'L':
      return { channel, length };
    case 'o':
    case 'e':
    case 'r':
    case 'd':
      if (length <= dataBytesMax) return { channel, length };
      throw new Error(`a frame of ${length} bytes`);
    default:
      throw new Error(`unexpected channel ${JSON.stringify(channel)}`);
  }
}

/** Cuts complete frames out of the received bytes; throws when the bytes are no frame. */
export class FrameReader {
  #buffered: Buffer[] = [];
  #bytes = 0;
  #wanted = headBytes;

  *push(chunk: Buffer): Iterable<Frame> {
    this.#buffered.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#wanted) return;
    let rest: Buffer = Buffer.concat(this.#buffered, this.#bytes);
    for (;;) {
      this.#wanted = headBytes;
      if (rest.length < headBytes) break;
      const { channel, length } = readHead(rest);
      if (channel === 'I' || channel === 'L') {
        yield { channel, data: null };
        rest = rest.subarray(headBytes);
        continue;
      }
      this.#wanted = headBytes + length;
      if (rest.length < this.#wanted) break;
      yield { channel, data: rest.subarray(headBytes, this.#wanted) };
      rest = rest.subarray(this.#wanted);
    }
    this.#buffered = [rest];
    this.#bytes = rest.length;
  }
}

/** Encodes a `runcommand` request. Arguments are joined by NUL; throws when an argument itself holds one. */
export function encodeCommand(args: readonly string[]): Buffer {
  if (args.some((arg) => arg.includes('\0'))) throw new Error('an argument holds NUL');
  const body = nameBytes(args.join('\0'));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([Buffer.from('runcommand\n'), length, body]);
}

/** The answer to a request for input: length 0, which means end of file. */
export const noInput = Buffer.alloc(4);
