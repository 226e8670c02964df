import type { Readable } from 'node:stream';
import { UnavailableError } from '@trunkline/contracts';
import type { Diff } from '../../render/diff/diff-file.ts';
import { createDiffParser, diffLimits, type DiffLimits } from '../../render/diff/parse-diff.ts';

/** Arguments of a diff that is shown. Workers of 0.1 ignore them: those of Mercurial send the contents of binary files. */
export const shownDiff = { binary: false } as const;

/** The limits of all diffs of a page, since rendering takes time on the thread that serves all visitors. */
const pageLimits = {
  ...diffLimits,
  lines: 10_000,
  linesOfFile: 2_000,
  charactersOfLine: 1_000,
  bytes: 1_024 * 1_024,
};

function limitsOf(diffsOfPage: number): DiffLimits {
  const part = (limit: number) => Math.floor(limit / diffsOfPage);
  const { files, lines, bytes, ...ofEach } = pageLimits;
  return { ...ofEach, files: part(files), lines: part(lines), bytes: part(bytes) };
}

/**
 * Reads a diff up to its share of the limits of a page with `diffsOfPage` diffs; a stream is destroyed there. Throws
 * UnavailableError when the stream fails.
 */
export async function readDiff(body: Uint8Array | Readable, diffsOfPage = 1): Promise<Diff> {
  const parser = createDiffParser(limitsOf(diffsOfPage));
  const chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body instanceof Uint8Array ? [body] : body;
  try {
    // Leaving the loop destroys the stream.
    for await (const chunk of chunks) {
      if (!parser.feed(chunk)) return parser.end();
    }
  } catch (error) {
    throw new UnavailableError({ cause: error });
  }
  return parser.end();
}
