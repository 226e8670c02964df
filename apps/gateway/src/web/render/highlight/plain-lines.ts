import { escapeHtml } from '../text/escape-html.ts';
import { shownLines } from '../text/shown-text.ts';
import { splitLines } from '../text/split-lines.ts';

/** Returns one line as HTML without any colours. */
export function plainLine(line: string): string {
  return escapeHtml(shownLines(line));
}

/** Returns the lines of a text as HTML without any colours. */
export function plainLines(text: string): string[] {
  return splitLines(text).map(plainLine);
}
