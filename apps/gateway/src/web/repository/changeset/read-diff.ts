import type { Readable } from 'node:stream';
import { UnavailableError } from '@trunkline/contracts';
import type { Diff } from '../../render/diff/diff-file.ts';
import { diffLimits } from '../../render/diff/diff-limits.ts';
import { createDiffParser } from '../../render/diff/parse-diff.ts';

/** The limits of a page's diff, since rendering takes time on the thread that serves all visitors. */
const pageLimits = {
  ...diffLimits,
  lines: 10_000,
  linesOfFile: 2_000,
  charactersOfLine: 1_000,
  characters: 1_024 * 1_024,
};

/** Reads as much of a diff as a page shows; the rest is not fetched. */
export async function readDiff(body: Uint8Array | Readable): Promise<Diff> {
  const parser = createDiffParser(pageLimits);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body instanceof Uint8Array ? [body] : body;
  try {
    // Leaving the loop destroys the stream.
    for await (const chunk of chunks) {
      if (!parser.feed(decoder.decode(chunk, { stream: true }))) return parser.end();
    }
  } catch (error) {
    throw new UnavailableError({ cause: error });
  }
  parser.feed(decoder.decode());
  return parser.end();
}
