import { nameText } from '@trunkline/runtime/text';
import { VcsError } from './vcs-error.ts';

const tokenBytesMax = 1024 * 1024;

/** Returns a function that takes a tool's output in pieces and returns the NUL-ended tokens that a piece completes. */
export function splitAtNul(encoding: 'names' | 'latin1'): (chunk: Uint8Array) => readonly string[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const data = Buffer.concat([rest, chunk]);
    const end = data.lastIndexOf(0) + 1;
    rest = data.subarray(end);
    if (rest.length > tokenBytesMax) throw new VcsError('too-large', `a name of more than ${tokenBytesMax} bytes`);
    if (end === 0) return [];
    const whole = data.subarray(0, end - 1);
    return (encoding === 'names' ? nameText(whole) : whole.toString(encoding)).split('\0');
  };
}

/**
 * Yields the NUL-terminated tokens of a stream, in batches: as the text of names or, in Latin-1, each byte as one
 * character.
 */
export async function* nulTokens(
  stream: AsyncIterable<Uint8Array>,
  encoding: 'names' | 'latin1' = 'names',
): AsyncGenerator<readonly string[]> {
  const split = splitAtNul(encoding);
  for await (const chunk of stream) {
    const tokens = split(chunk);
    if (tokens.length > 0) yield tokens;
  }
}
