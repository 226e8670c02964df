import type { DiffLine } from './diff-file.ts';

/** A part as offsets in UTF-16 code units: `start` in both lines, and the end in each of them. */
interface ChangedPart {
  readonly start: number;
  readonly removedEnd: number;
  readonly addedEnd: number;
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

function commonStart(one: string, other: string, max: number): number {
  let length = 0;
  while (length < max && one[length] === other[length]) length += 1;
  // Surrogate pairs are not split.
  return isLowSurrogate(one, length) || isLowSurrogate(other, length) ? Math.max(0, length - 1) : length;
}

function commonEnd(one: string, other: string, max: number): number {
  let length = 0;
  while (length < max && one[one.length - 1 - length] === other[other.length - 1 - length]) length += 1;
  return length > 0 && isLowSurrogate(one, one.length - length) ? length - 1 : length;
}

/**
 * Returns the part in which a removed line and an added line differ, between their common beginning and end. Undefined
 * when the lines are equal or have too little in common.
 */
export function changedPart(removed: string, added: string): ChangedPart | undefined {
  const shorter = Math.min(removed.length, added.length);
  const start = commonStart(removed, added, shorter);
  const end = commonEnd(removed, added, shorter - start);
  const common = removed.slice(0, start).trim().length + removed.slice(removed.length - end).trim().length;
  if (removed === added || common * 4 < shorter || common === 0) return undefined;
  return { start, removedEnd: removed.length - end, addedEnd: added.length - end };
}

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
