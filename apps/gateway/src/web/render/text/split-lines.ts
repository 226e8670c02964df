/** Returns the lines of a text, split at LF or CRLF; a line feed at the end begins no further line. */
export function splitLines(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
