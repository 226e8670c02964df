import type { Diff, DiffFile } from './diff-file.ts';
import { readHeaderLine, settleChange, startFile } from './diff-header.ts';
import { diffLimits } from './diff-limits.ts';
import { startHunk, type HunkReader } from './hunk-reader.ts';

export interface DiffParser {
  /** Parses the next piece of the diff. Returns false when a limit is reached: later pieces are ignored. */
  feed(text: string): boolean;
  end(): Diff;
}

/** Creates a parser of the output of `git diff` and `hg diff --git`, which is fed piece by piece, in bounded memory. */
export function createDiffParser(limits = diffLimits): DiffParser {
  const files: DiffFile[] = [];
  let hunk: HunkReader | undefined;
  let unfinished = '';
  let characters = 0;
  let lines = 0;
  let linesOfFile = 0;
  let truncated = false;

  const cut = () => {
    const file = files.at(-1);
    if (file) file.isCut = true;
    return false;
  };
  const truncate = () => {
    truncated = true;
    return cut();
  };
  const takeLine = () => {
    if (linesOfFile === limits.linesOfFile) return cut();
    if (lines === limits.lines) return truncate();
    linesOfFile += 1;
    lines += 1;
    return true;
  };
  const readLine = (line: string) => {
    if (hunk?.read(line)) return;
    const file = files.at(-1);
    if (line.startsWith('diff --git ')) {
      if (files.length === limits.files) {
        // The last file was read to its end, so that it is not cut.
        truncated = true;
        return;
      }
      hunk = undefined;
      linesOfFile = 0;
      files.push(startFile(line));
    } else if (file) {
      hunk = startHunk(line, { file, charactersMax: limits.charactersOfLine, takeLine }) ?? hunk;
      // The header of a file ends at its first hunk.
      if (!hunk) readHeaderLine(file, line);
    }
  };

  return {
    feed(text) {
      if (truncated) return false;
      const charactersLeft = limits.characters - characters;
      characters += text.length;
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1 && end < charactersLeft; end = text.indexOf('\n', start)) {
        readLine(unfinished + text.slice(start, end));
        if (truncated) return false;
        unfinished = '';
        start = end + 1;
      }
      if (characters > limits.characters) truncate();
      if (!truncated) unfinished += text.slice(start);
      return !truncated;
    },
    end() {
      if (unfinished !== '' && !truncated) readLine(unfinished);
      files.forEach(settleChange);
      return { files, truncated };
    },
  };
}
