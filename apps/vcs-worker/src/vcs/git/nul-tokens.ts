import { VcsError } from '../vcs-error.ts';

const tokenBytesMax = 1024 * 1024;

/** What stands between NUL bytes, in batches; names that are no UTF-8 come with replacement characters. */
export async function* nulTokens(stream: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    const data = Buffer.concat([rest, chunk]);
    const end = data.lastIndexOf(0) + 1;
    rest = data.subarray(end);
    if (rest.length > tokenBytesMax) throw new VcsError('too-large', `a name of more than ${tokenBytesMax} bytes`);
    if (end > 0) yield data.toString('utf8', 0, end - 1).split('\0');
  }
}
