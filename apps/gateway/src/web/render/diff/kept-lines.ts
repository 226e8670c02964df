import type { DiffFile, DiffHunk } from './diff-file.ts';

interface KeptLimits {
  /** Lines and bytes that are kept of all files together. */
  readonly lines: number;
  readonly keptBytes: number;
  /** The share of one file. */
  readonly linesOfFile: number;
  readonly keptBytesOfFile: number;
  /** Lines that are kept of a file beyond its share. */
  readonly linesOfCutFile: number;
}

interface Kept {
  readonly lines: number;
  readonly bytes: number;
}

const nothing: Kept = { lines: 0, bytes: 0 };

/** Removes all lines of a file but the first; returns what is left. The header of a hunk counts as a line. */
function keepBeginning(file: DiffFile, linesMax: number): Kept {
  const hunks: DiffHunk[] = [];
  let [lines, bytes] = [0, 0];
  for (const { header, lines: all } of file.hunks) {
    // A header without a line would say nothing.
    if (lines + 1 >= linesMax) break;
    const first = all.slice(0, linesMax - lines - 1);
    lines += 1 + first.length;
    bytes += first.reduce((sum, { text }) => sum + text.length, header.length);
    hunks.push({ header, lines: first });
  }
  file.hunks = hunks;
  return { lines, bytes };
}

/** Decides which lines of a diff are kept: a file beyond its share gives most of it back, to the files after it. */
export interface KeptLines {
  startFile(): void;
  /** Counts one more line of a file; `full` when the limit of all files is reached. */
  take(file: DiffFile, bytes: number): 'kept' | 'left out' | 'full';
}

export function createKeptLines(limits: KeptLimits): KeptLines {
  let before = nothing;
  let ofFile = nothing;
  return {
    startFile() {
      before = { lines: before.lines + ofFile.lines, bytes: before.bytes + ofFile.bytes };
      ofFile = nothing;
    },
    take(file, bytes) {
      if (file.isCut) return 'left out';
      const next = { lines: ofFile.lines + 1, bytes: ofFile.bytes + bytes };
      const isBeyondShare = next.lines > limits.linesOfFile || next.bytes > limits.keptBytesOfFile;
      const isFull = before.lines + next.lines > limits.lines || before.bytes + next.bytes > limits.keptBytes;
      if (isBeyondShare || (isFull && ofFile.lines > limits.linesOfCutFile)) {
        file.isCut = true;
        ofFile = keepBeginning(file, limits.linesOfCutFile);
        return 'left out';
      }
      if (isFull) return 'full';
      ofFile = next;
      return 'kept';
    },
  };
}
