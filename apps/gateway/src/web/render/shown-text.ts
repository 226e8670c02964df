/** Control characters, line and paragraph separators, and characters that embed, override or isolate a direction. */
// oxlint-disable-next-line no-control-regex -- The pattern is meant to find control characters.
const invisible = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

function mark(character: string): string {
  const code = character.charCodeAt(0);
  if (code <= 0x1f) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\\u{${code.toString(16).toUpperCase()}}`;
}

/** Returns a name for display, with invisible and direction-changing characters made visible. */
export function shownText(text: string): string {
  return text.replace(invisible, mark);
}

/** Returns a text of several lines for display, like `shownText` but with its line feeds and tabs. */
export function shownLines(text: string): string {
  return text.replace(invisible, (character) =>
    character === '\n' || character === '\t' ? character : mark(character),
  );
}

/** Returns the beginning of a text, with an ellipsis when more would follow; no character is cut in two. */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Returns the lines of a text, split at LF or CRLF; a line feed at the end begins no further line. */
export function splitLines(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns the number of the lines that `splitLines` returns. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return text === '' || text.endsWith('\n') ? count : count + 1;
}
