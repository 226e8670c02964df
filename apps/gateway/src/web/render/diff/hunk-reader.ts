import type { DiffFile, DiffHunk, DiffLine } from './diff-file.ts';

const headerPattern = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** Reads the lines of one hunk, whose end follows from the counts in its header, whatever the lines look like. */
export interface HunkReader {
  /** Reads a line; returns false, without reading, for a line that does not belong to the hunk. */
  read(line: string): boolean;
}

interface HunkSink {
  readonly file: DiffFile;
  readonly charactersMax: number;
  /** Counts one line towards the limits; returns false when a limit is reached. */
  takeLine(): boolean;
}

/** Starts a hunk at its header line; returns undefined for any other line. */
export function startHunk(line: string, { file, charactersMax, takeLine }: HunkSink): HunkReader | undefined {
  const numbers = headerPattern.exec(line);
  if (!numbers) return undefined;
  let oldLine = Number(numbers[1]);
  let oldLeft = Number(numbers[2] ?? 1);
  let newLine = Number(numbers[3]);
  let newLeft = Number(numbers[4] ?? 1);

  const hunk: DiffHunk = { header: line.slice(0, charactersMax), lines: [] };
  if (takeLine()) file.hunks.push(hunk);
  const add = (kind: DiffLine['kind'], lines: Pick<DiffLine, 'oldLine' | 'newLine'>, line: string) => {
    if (!takeLine()) return;
    const text = line.slice(1, 1 + charactersMax);
    hunk.lines.push({ kind, ...lines, text, isCut: line.length > 1 + charactersMax });
  };

  return {
    read(line) {
      const mark = line[0] ?? ' ';
      if (mark === '\\') {
        // This mark is followed by a space.
        add('noNewline', { oldLine: null, newLine: null }, line.slice(1));
      } else if (mark === ' ' && oldLeft > 0 && newLeft > 0) {
        add('context', { oldLine, newLine }, line);
        oldLine += 1;
        oldLeft -= 1;
        newLine += 1;
        newLeft -= 1;
      } else if (mark === '-' && oldLeft > 0) {
        add('removed', { oldLine, newLine: null }, line);
        file.linesRemoved += 1;
        oldLine += 1;
        oldLeft -= 1;
      } else if (mark === '+' && newLeft > 0) {
        add('added', { oldLine: null, newLine }, line);
        file.linesAdded += 1;
        newLine += 1;
        newLeft -= 1;
      } else {
        return false;
      }
      return true;
    },
  };
}
