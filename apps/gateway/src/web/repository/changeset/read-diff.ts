import type { Readable } from 'node:stream';
import { UnavailableError } from '@trunkline/contracts';
import type { Diff } from '../../render/diff/diff-file.ts';
import { createDiffParser, diffLimits, type DiffLimits } from '../../render/diff/parse-diff.ts';

/** Arguments of a diff that is shown. Workers of 0.1 ignore them: those of Mercurial send the contents of binary files. */
export const shownDiff = { binary: false } as const;

/** The limits of a page that shows one file alone, which workers of 0.1 send among all others. */
const limitsOfOnly = { files: 2, lines: 15_000, keptBytes: 1_536 * 1_024, bytes: 32 * 1_024 * 1_024 };

function limitsOf(diffsOfPage: number, only: string | undefined): DiffLimits {
  if (only !== undefined) {
    const { lines, keptBytes } = limitsOfOnly;
    return {
      ...diffLimits,
      ...limitsOfOnly,
      linesOfFile: lines,
      linesOfCutFile: lines,
      keptBytesOfFile: keptBytes,
      only,
    };
  }
  const part = (limit: number) => Math.floor(limit / diffsOfPage);
  const { files, lines, keptBytes, bytes } = diffLimits;
  return { ...diffLimits, files: part(files), lines: part(lines), keptBytes: part(keptBytes), bytes: part(bytes) };
}

/**
 * Reads a diff up to its share of the limits of a page with `diffsOfPage` diffs, or of one file alone, `only`. A stream is
 * destroyed there, which ends the command that writes it. Throws UnavailableError when the stream fails.
 */
export async function readDiff(body: Uint8Array | Readable, diffsOfPage = 1, only?: string): Promise<Diff> {
  const parser = createDiffParser(limitsOf(diffsOfPage, only));
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
