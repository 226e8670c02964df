import type { FileStat } from '../content.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { diffStart, readPatchHead } from './patch-head.ts';

const patchBytesMax = 1024 * 1024;

export type LineCount = Pick<FileStat, 'linesAdded' | 'linesRemoved'>;
/** By a file's name, a character for each of its bytes. */
export type LineCounts = ReadonlyMap<string, LineCount>;

export const uncounted: LineCount = { linesAdded: null, linesRemoved: null };
export const unchanged: LineCount = { linesAdded: 0, linesRemoved: 0 };

const fileLine = /^diff -r [0-9a-f]{12} -r [0-9a-f]{12} ([^]*)$/;
const hunkLine = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const binaryLine = /^Binary file [^]* has changed$/;

/** Reads a diff in Mercurial's own form: there a rename is a removal and an addition. */
export function countLines(diff: string): LineCounts {
  const counts = new Map<string, LineCount>();
  let name = '';
  // The lines of files themselves all begin with a sign or a space.
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

/** Null where counting would take too much. */
export async function readLineCounts(hg: HgCommands, path: string, rawId: string): Promise<LineCounts | null> {
  const head = await readPatchHead(hg, path, rawId);
  const args = ['--config=diff.unified=0', 'export', `--rev=${rawId}`];
  try {
    const patch = await hg.read(path, args, { stdoutBytesMax: patchBytesMax });
    return countLines(patch.toString('latin1', diffStart(patch, head) ?? patch.length));
  } catch (error) {
    if (error instanceof VcsError && (error.kind === 'too-large' || error.kind === 'timeout')) return null;
    throw error;
  }
}
