import { withoutCutCharacter } from '@trunkline/runtime/text';
import { decodeHunks } from './decode-hunks.ts';
import { pathOf, type Diff, type DiffFile, type DiffHunk, type DiffLine } from './diff-file.ts';
import { createKeptLines } from './kept-lines.ts';
import { readHeaderLine, settleChanges, startFile } from './diff-header.ts';

export interface DiffLimits {
  readonly files: number;
  /** The limit of kept lines of all files together, and of one file. */
  readonly lines: number;
  readonly linesOfFile: number;
  /** Lines that are kept of a file beyond its share, so that later files are shown. */
  readonly linesOfCutFile: number;
  readonly charactersOfLine: number;
  /** The limit of kept bytes of all files together, and of one file. */
  readonly keptBytes: number;
  readonly keptBytesOfFile: number;
  /** The limit of bytes that are read. */
  readonly bytes: number;
  /** The path of the only file that is kept; all files when absent. */
  readonly only?: string | undefined;
}

/** The limits of a page, since rendering takes time on the thread that serves all visitors. */
export const diffLimits: DiffLimits = {
  files: 300,
  lines: 8_000,
  linesOfFile: 1_000,
  linesOfCutFile: 100,
  charactersOfLine: 1_000,
  keptBytes: 768 * 1_024,
  keptBytesOfFile: 192 * 1_024,
  bytes: 8 * 1_024 * 1_024,
};

const headerPattern = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** Reads the lines of one hunk, whose end follows from the counts in its header, whatever the lines look like. */
interface HunkReader {
  /** Reads a line; returns false, without reading, for a line that does not belong to the hunk. */
  read(line: string): boolean;
}

interface HunkSink {
  readonly file: DiffFile;
  readonly bytesMax: number;
  /** Counts one line towards the limits; returns whether it is kept. */
  takeLine(bytes: number): boolean;
}

/** Returns the first bytes of a line, of which none is a part of a character. */
function beginningOf(line: string, bytesMax: number): string {
  if (line.length <= bytesMax) return line;
  return Buffer.from(withoutCutCharacter(Buffer.from(line.slice(0, bytesMax), 'latin1'))).toString('latin1');
}

/** Bytes that one character may take. */
const bytesOfCharacter = 4;

/** Starts a hunk at its header line; returns undefined for any other line. */
function startHunk(line: string, { file, bytesMax, takeLine }: HunkSink): HunkReader | undefined {
  const numbers = headerPattern.exec(line);
  if (!numbers) return undefined;
  let oldLine = Number(numbers[1]);
  let oldLeft = Number(numbers[2] ?? 1);
  let newLine = Number(numbers[3]);
  let newLeft = Number(numbers[4] ?? 1);

  const hunk: DiffHunk = { header: beginningOf(line, bytesMax), lines: [] };
  if (takeLine(hunk.header.length)) file.hunks.push(hunk);
  const add = (kind: DiffLine['kind'], lines: Pick<DiffLine, 'oldLine' | 'newLine'>, line: string) => {
    if (!takeLine(Math.min(line.length, bytesMax))) return;
    const isCut = line.length > 1 + bytesMax;
    hunk.lines.push({ kind, ...lines, text: beginningOf(line.slice(1), bytesMax), isCut });
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

/** Bytes that are held of a line whose end has not come yet: longer than any header with two quoted paths. */
const unfinishedMax = 64 * 1_024;

interface DiffParser {
  /** Parses the next piece of the diff. Returns false when a limit is reached: later pieces are ignored. */
  feed(piece: Uint8Array): boolean;
  end(): Diff;
}

/** Creates a parser of the output of `git diff` and `hg diff --git`, which is fed piece by piece, in bounded memory. */
export function createDiffParser(limits = diffLimits): DiffParser {
  const { only } = limits;
  const kept = createKeptLines(limits);
  const files: DiffFile[] = [];
  let hunk: HunkReader | undefined;
  let unfinished = '';
  let bytes = 0;
  let truncated = false;
  /** Whether the only file that is kept was read to its end. */
  let found = false;

  const isKept = (file: DiffFile) => only === undefined || pathOf(file) === only;
  const truncate = () => {
    truncated = true;
    const file = files.at(-1);
    if (file) file.isCut = true;
  };
  const takeLine = (length: number) => {
    const file = files.at(-1);
    if (!file || !isKept(file)) return false;
    const taken = kept.take(file, length);
    if (taken === 'full') truncate();
    return taken === 'kept';
  };
  const beginFile = (line: string) => {
    const before = files.at(-1);
    if (before && !isKept(before)) {
      files.pop();
      found = files.length > 0;
    }
    if (files.length === limits.files) {
      // The last file was read to its end, so that it is not cut.
      truncated = true;
      return;
    }
    hunk = undefined;
    kept.startFile();
    files.push(startFile(line));
  };
  const readLine = (line: string) => {
    if (hunk?.read(line)) return;
    const file = files.at(-1);
    if (line.startsWith('diff --git ')) beginFile(line);
    else if (file) {
      hunk = startHunk(line, { file, bytesMax: bytesOfCharacter * limits.charactersOfLine, takeLine }) ?? hunk;
      // The header of a file ends at its first hunk.
      if (!hunk) readHeaderLine(file, line);
    }
  };

  return {
    feed(piece) {
      if (truncated || found) return false;
      // One character for each byte: names and lines are decoded when all of them are read.
      const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
      const bytesLeft = limits.bytes - bytes;
      bytes += text.length;
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1 && end < bytesLeft; end = text.indexOf('\n', start)) {
        readLine(unfinished + text.slice(start, end));
        if (truncated || found) return false;
        unfinished = '';
        start = end + 1;
      }
      if (bytes > limits.bytes) truncate();
      else if (unfinished.length < unfinishedMax) unfinished += text.slice(start, start + unfinishedMax);
      return !truncated;
    },
    end() {
      if (unfinished !== '' && !truncated && !found) readLine(unfinished);
      const shown = files.filter(isKept);
      for (const file of shown) decodeHunks(file, limits.charactersOfLine);
      return { files: settleChanges(shown), truncated };
    },
  };
}
