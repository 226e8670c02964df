/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
