import { decodeAs, encodingOf } from '@trunkline/runtime/text';
import type { DiffFile, DiffHunk, DiffLine } from './diff-file.ts';

// oxlint-disable-next-line no-control-regex -- ASCII has control characters.
const isAscii = (bytes: string) => /^[\0-\x7f]*$/.test(bytes);

const decode = (bytes: string, encoding: string) =>
  isAscii(bytes) ? bytes : decodeAs(Buffer.from(bytes, 'latin1'), encoding);

/** Returns the encoding of the lines that a file has on one side of the change; a character of a line is a byte. */
function encodingOfSide(hunks: readonly DiffHunk[], absent: DiffLine['kind']): string {
  const lines = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== absent).map(({ text }) => text));
  return encodingOf(Buffer.from(lines.join('\n'), 'latin1'));
}

/** Decodes a file's lines, in which a character is a byte: those before and after the change each in their encoding. */
export function decodeHunks(file: DiffFile, charactersMax: number): void {
  const [before, after] = [encodingOfSide(file.hunks, 'added'), encodingOfSide(file.hunks, 'removed')];
  const decodeLine = (line: DiffLine): DiffLine => {
    const text = decode(line.text, line.kind === 'removed' ? before : after);
    return { ...line, text: text.slice(0, charactersMax), isCut: line.isCut || text.length > charactersMax };
  };
  file.encoding = [after, before].find((encoding) => encoding !== 'UTF-8') ?? null;
  file.hunks = file.hunks.map(({ header, lines }) => ({
    header: decode(header, after).slice(0, charactersMax),
    lines: lines.map(decodeLine),
  }));
}
