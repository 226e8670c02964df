import { splitAtNul } from '../split-at-nul.ts';

/**
 * Yields the NUL-terminated tokens of a stream, in batches. In UTF-8, invalid bytes become replacement characters; in
 * Latin-1, each byte becomes one character.
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
