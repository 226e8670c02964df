import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { shownLines, splitLines } from './shown-text.ts';

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Escapes a text for the content and the quoted attributes of HTML that is put together from strings. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? character);
}

/** Returns one line as HTML without any colours. */
function plainLine(line: string): string {
  return escapeHtml(shownLines(line));
}

/** Returns the lines of a text as HTML without any colours. */
export function plainLines(text: string): string[] {
  return splitLines(text).map(plainLine);
}

/** The limit of shown lines, since each line becomes elements of the page. */
export const shownLinesMax = 20_000;

/**
 * Returns lines, which are safe HTML, each with a number that leads to the page on which the line is marked; `before` is
 * the number of lines before them.
 */
export function numberLines(lines: readonly string[], before = 0): string {
  return lines
    .slice(0, shownLinesMax - before)
    .map((html, index) => {
      const number = before + index + 1;
      return `<span class="line" id="L${number}"><a href="?lines=${number}#L${number}">${number}</a>${html}\n</span>`;
    })
    .join('');
}

/** Lines that take about a millisecond. */
const sliceLines = 500;

/** Returns the numbered lines of a text without any colours; other work of the event loop is done between them. */
export async function plainSource(text: string): Promise<string> {
  const lines = splitLines(text).slice(0, shownLinesMax);
  let html = '';
  for (let before = 0; before < lines.length; before += sliceLines) {
    if (before > 0) await nextTurnOfLoop();
    html += numberLines(lines.slice(before, before + sliceLines).map(plainLine), before);
  }
  return html;
}

/** Returns a document as preformatted text, for a document that is too large or takes too long to render. */
export function plainDocument(text: string): string {
  return `<pre class="plain">${escapeHtml(shownLines(text))}</pre>`;
}
