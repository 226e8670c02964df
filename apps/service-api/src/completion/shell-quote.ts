/** Returns a word between single quotes, as bash and zsh read it. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
