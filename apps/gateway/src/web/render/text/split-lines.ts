/** The lines of a file; a line feed at its end begins no further line. */
export function splitLines(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
