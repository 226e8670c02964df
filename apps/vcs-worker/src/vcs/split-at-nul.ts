import { VcsError } from './vcs-error.ts';

const tokenBytesMax = 1024 * 1024;

/** Returns a function that takes a tool's output in pieces and returns the NUL-ended tokens that a piece completes. */
export function splitAtNul(encoding: 'utf8' | 'latin1'): (chunk: Uint8Array) => readonly string[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const data = Buffer.concat([rest, chunk]);
    const end = data.lastIndexOf(0) + 1;
    rest = data.subarray(end);
    if (rest.length > tokenBytesMax) throw new VcsError('too-large', `a name of more than ${tokenBytesMax} bytes`);
    return end === 0 ? [] : data.toString(encoding, 0, end - 1).split('\0');
  };
}
