/** The beginning of an answer: the format, and no parameters. */
export const bundleStart: Buffer = Buffer.from('HG20\0\0\0\0', 'latin1');

const end = Buffer.alloc(4);
/** Clients show texts of any length; this is enough for one. */
const textBytesMax = 255;

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Encodes a part without content; a name in capital letters is of a part that clients have to understand. */
function emptyPart(name: string, mandatory: readonly (readonly [string, Buffer])[] = []): Buffer {
  const sizes = mandatory.flatMap(([key, value]) => [key.length, value.length]);
  const params = mandatory.flatMap(([key, value]) => [Buffer.from(key), value]);
  const id = Buffer.alloc(4);
  const counts = Buffer.from([mandatory.length, 0, ...sizes]);
  return Buffer.concat([
    withLength(Buffer.concat([Buffer.from([name.length]), Buffer.from(name), id, counts, ...params])),
    end,
  ]);
}

/** Output of the server that has no lines, which clients do not show. */
export const keepAlivePart: Buffer = emptyPart('output');

/** Returns as much of a text as fits, in whole characters. */
function bounded(text: string): Buffer {
  const bytes = Buffer.from(text);
  return bytes.length <= textBytesMax
    ? bytes
    : Buffer.from(
        bytes
          .subarray(0, textBytesMax)
          .toString('utf8')
          .replace(/\uFFFD$/, ''),
      );
}

/** Returns the answer to a command that was refused before Mercurial has seen it. */
export function refusalReply(command: string, text: string): Buffer {
  if (command !== 'unbundle') return Buffer.from(`0\n${text}\n`);
  return Buffer.concat([bundleStart, emptyPart('ERROR:ABORT', [['message', bounded(text)]]), end]);
}

/** Returns the answer to a single value that was set. */
export const valueSetReply: Buffer = Buffer.from('1\n');

/** Returns what is left of an answer whose beginning was sent; one that has no parts becomes a refusal. */
export function restOfReply(reply: Buffer): Buffer {
  const whole = reply.subarray(0, bundleStart.length).equals(bundleStart)
    ? reply
    : refusalReply('unbundle', reply.toString('utf8').trim());
  return whole.subarray(bundleStart.length);
}
