/** Every form of one character that is no longer than it; ß, which would become SS, is looked for as it is. */
function formsOf(character: string): string[] {
  const forms = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(forms)].filter((form) => form.length === character.length);
}

/**
 * A regular expression of Postgres that finds a text in upper or lower case. Its own ways to do so know only the
 * letters of the database's collation, which may be those of ASCII.
 */
export function caselessPattern(text: string): string {
  const pieces = Array.from(text.normalize('NFC'), (character) => {
    const forms = formsOf(character);
    if (forms.length > 1) return `[${forms.join('')}]`;
    if (/[\p{L}\p{N}]/u.test(character)) return character;
    return `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`;
  });
  return pieces.join('');
}
