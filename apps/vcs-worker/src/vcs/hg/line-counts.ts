import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { diffStart, readPatchHead } from './patch-head.ts';

const patchBytesMax = 1024 * 1024;

/** Lines added and removed by a file's name, a character for each of its bytes; null for a binary file. */
export type LineCounts = ReadonlyMap<string, { readonly added: number; readonly removed: number } | null>;

const fileLine = /^diff -r [0-9a-f]{12} -r [0-9a-f]{12} ([^]*)$/;
const hunkLine = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const binaryLine = /^Binary file [^]* has changed$/;

/** Reads a diff in Mercurial's own form: there a rename is a removal and an addition. */
export function countLines(diff: string): LineCounts {
  const counts = new Map<string, { added: number; removed: number } | null>();
  let name = '';
  // The lines of files themselves all begin with a sign or a space.
  for (const line of diff.split('\n')) {
    const file = fileLine.exec(line);
    const hunk = hunkLine.exec(line);
    if (file) {
      name = file[1] ?? '';
      counts.set(name, { added: 0, removed: 0 });
    } else if (hunk) {
      const count = counts.get(name);
      if (!count) continue;
      count.removed += Number(hunk[1] ?? 1);
      count.added += Number(hunk[2] ?? 1);
    } else if (binaryLine.test(line)) counts.set(name, null);
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
