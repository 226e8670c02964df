import { changedPart } from './changed-part.ts';
import type { DiffLine } from './diff-file.ts';

export interface MarkedRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the ranges to highlight in the lines of one hunk: within each block of changes, the first removed line is
 * compared with the first added line, the second with the second, and so on.
 */
export function changedParts(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, MarkedRange> {
  const marks = new Map<DiffLine, MarkedRange>();
  let removed: DiffLine[] = [];
  let paired = 0;
  for (const line of lines) {
    if (line.kind === 'context' || (line.kind === 'removed' && paired > 0)) {
      removed = [];
      paired = 0;
    }
    if (line.kind === 'removed') removed.push(line);
    if (line.kind !== 'added') continue;
    const other = removed[paired];
    paired += 1;
    const part = other && changedPart(other.text, line.text);
    if (!part) continue;
    marks.set(other, { start: part.start, end: part.removedEnd });
    marks.set(line, { start: part.start, end: part.addedEnd });
  }
  return marks;
}
