import type { Annotation, AnnotatedBlock, LineOrigin } from './content.ts';

/** Time for which the history of a path is searched, or the origin of lines, in milliseconds: a part of a read's time. */
export const searchMsMax = 10_000;

/** Consecutive lines of one changeset, as a tool prints them. */
export interface FoundBlock {
  readonly lines: number;
  readonly origin: LineOrigin;
  /** The number of the first line in the file of the origin. */
  readonly originLine: number;
}

/** Returns an annotation of blocks in the order of their lines. */
export function toAnnotation(found: Iterable<FoundBlock>): Annotation {
  const origins = new Map<string, { readonly index: number; readonly origin: LineOrigin }>();
  const blocks: AnnotatedBlock[] = [];
  let line = 1;
  for (const { lines, origin, originLine } of found) {
    const key = `${origin.rawId} ${origin.path}`;
    const known = origins.get(key) ?? { index: origins.size, origin };
    origins.set(key, known);
    blocks.push({ line, lines, origin: known.index, originLine });
    line += lines;
  }
  return { origins: Array.from(origins.values(), ({ origin }) => origin), blocks };
}
