/** Control characters, line and paragraph separators, and characters that change the direction of text. */
// oxlint-disable-next-line no-control-regex -- These are what it is for.
const invisible = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

function mark(character: string): string {
  const code = character.charCodeAt(0);
  if (code <= 0x1f) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\\u{${code.toString(16).toUpperCase()}}`;
}

/** A name for display, with invisible and direction-changing characters made visible. */
export function shownText(text: string): string {
  return text.replace(invisible, mark);
}

/** The same for text of several lines: line feeds and tabs stay. */
export function shownLines(text: string): string {
  return text.replace(invisible, (character) =>
    character === '\n' || character === '\t' ? character : mark(character),
  );
}
