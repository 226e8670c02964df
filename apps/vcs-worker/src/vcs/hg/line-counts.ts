import type { FileStat } from '../content.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { diffStart, readPatchHead } from './patch-head.ts';
import { requireComparable } from './require-comparable.ts';

const patchBytesMax = 1024 * 1024;

export type LineCount = Pick<FileStat, 'linesAdded' | 'linesRemoved'>;
/** Counts by the file's path, one character for each byte of the path. */
export type LineCounts = ReadonlyMap<string, LineCount>;

export const uncounted: LineCount = { linesAdded: null, linesRemoved: null };
export const unchanged: LineCount = { linesAdded: 0, linesRemoved: 0 };

const fileLine = /^diff -r [0-9a-f]{12} -r [0-9a-f]{12} ([^]*)$/;
const hunkLine = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const binaryLine = /^Binary file [^]* has changed$/;

/** Counts the lines of a diff in Mercurial's own format, in which a rename is a removal and an addition. */
export function countLines(diff: string): LineCounts {
  const counts = new Map<string, LineCount>();
  let name = '';
  // No line of a file's content matches: in a diff such lines begin with `+`, `-` or a space.
  for (const line of diff.split('\n')) {
    const file = fileLine.exec(line);
    const hunk = hunkLine.exec(line);
    if (file) {
      name = file[1] ?? '';
      counts.set(name, unchanged);
    } else if (hunk) {
      const { linesAdded, linesRemoved } = counts.get(name) ?? unchanged;
      counts.set(name, {
        linesAdded: (linesAdded ?? 0) + Number(hunk[2] ?? 1),
        linesRemoved: (linesRemoved ?? 0) + Number(hunk[1] ?? 1),
      });
    } else if (binaryLine.test(line)) counts.set(name, uncounted);
  }
  return counts;
}

/** Counts the lines of a changeset by file; returns null when the patch is too large or takes too long. */
export async function readLineCounts(hg: HgCommands, path: string, rawId: string): Promise<LineCounts | null> {
  const head = await readPatchHead(hg, path, rawId);
  const args = ['--config=diff.unified=0', 'export', `--rev=${rawId}`];
  try {
    await requireComparable(hg, path, rawId);
    const patch = await hg.run(path, args, { stdoutBytesMax: patchBytesMax });
    return countLines(patch.toString('latin1', diffStart(patch, head) ?? patch.length));
  } catch (error) {
    if (error instanceof VcsError && (error.kind === 'too-large' || error.kind === 'timeout')) return null;
    throw error;
  }
}
