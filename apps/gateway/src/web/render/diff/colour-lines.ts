import type { Renderer } from '../create-renderers.ts';
import { colouredBytesMax } from '../render-task.ts';
import { shownLines } from '../shown-text.ts';
import { pathOf, type Diff, type DiffHunk, type DiffLine } from './diff-file.ts';

/** The lines that a hunk has on one side of the change. */
interface Side {
  readonly fileName: string;
  readonly lines: readonly DiffLine[];
  readonly text: string;
}

function sideOf(fileName: string, { lines }: DiffHunk, changed: 'added' | 'removed'): Side[] {
  const ofSide = lines.filter(({ kind }) => kind === 'context' || kind === changed);
  // What is unchanged has its colours from the other side.
  if (!ofSide.some(({ kind }) => kind === changed)) return [];
  const text = ofSide.map((line) => shownLines(line.text)).join('\n');
  return [{ fileName, lines: ofSide, text }];
}

/** Returns the sides of hunks in their order, as many as are coloured of a page. */
function sidesOf({ files }: Diff): Side[] {
  const sides: Side[] = [];
  let left = colouredBytesMax;
  for (const file of files) {
    for (const hunk of file.hunks) {
      const both = [
        ...sideOf(file.oldPath ?? pathOf(file), hunk, 'removed'),
        ...sideOf(file.newPath ?? pathOf(file), hunk, 'added'),
      ];
      left -= both.reduce((sum, { text }) => sum + text.length, 0);
      if (left < 0) return sides;
      sides.push(...both);
    }
  }
  return sides;
}

/**
 * Returns the lines of a diff as HTML in the colours of their languages, by one task of a render thread; lines without
 * colours are absent. Each side of a hunk is coloured by itself: what stands before the hunk is not known.
 */
export async function colourLines(
  renderer: Pick<Renderer, 'parts'>,
  diff: Diff,
): Promise<ReadonlyMap<DiffLine, string>> {
  const sides = sidesOf(diff);
  if (sides.length === 0) return new Map();
  const coloured = await renderer.parts(sides.map(({ fileName, text }) => [fileName, text] as const));
  return new Map(
    sides.flatMap(({ lines }, index) =>
      lines.flatMap((line, at) => {
        const html = coloured[index]?.[at];
        return html === undefined ? [] : [[line, html] as const];
      }),
    ),
  );
}
