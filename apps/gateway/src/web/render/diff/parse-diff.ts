import type { Diff, DiffFile } from './diff-file.ts';
import { readHeaderLine, settleChange, startFile } from './diff-header.ts';
import { diffLimits } from './diff-limits.ts';
import { startHunk, type HunkReader } from './hunk-reader.ts';

export interface DiffParser {
  /** Parses the next piece of the diff. False when a limit is reached: later pieces are ignored. */
  feed(text: string): boolean;
  end(): Diff;
}

/** Parses what `git diff` and `hg diff --git` print, piece by piece, in bounded memory. */
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
  const takeRoom = () => {
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
        truncated = true;
        return;
      }
      hunk = undefined;
      linesOfFile = 0;
      files.push(startFile(line));
    } else if (file) {
      hunk = startHunk(line, { file, charactersMax: limits.charactersOfLine, takeRoom }) ?? hunk;
      if (!hunk) readHeaderLine(file, line);
    }
  };

  return {
    feed(text) {
      if (truncated) return false;
      const room = limits.characters - characters;
      characters += text.length;
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1 && end < room; end = text.indexOf('\n', start)) {
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
