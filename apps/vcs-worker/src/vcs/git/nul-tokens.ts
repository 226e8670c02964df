import { splitAtNul } from '../split-at-nul.ts';

/**
 * The tokens of a stream that end in NUL, in batches. In UTF-8, names that are something else come with replacement
 * characters; in Latin-1 each byte is one character.
 */
export async function* nulTokens(
  stream: AsyncIterable<Uint8Array>,
  encoding: 'utf8' | 'latin1' = 'utf8',
): AsyncGenerator<readonly string[]> {
  const split = splitAtNul(encoding);
  for await (const chunk of stream) {
    const tokens = split(chunk);
    if (tokens.length > 0) yield tokens;
  }
}
