/**
 * Returns a character in upper and lower case, each only if it is one character: ß, whose upper case is SS, has one
 * form.
 */
function formsOf(character: string): string[] {
  const forms = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(forms)].filter((form) => form.length === character.length);
}

/**
 * Returns a regular expression for Postgres that matches a text in any case. Postgres' own case folding depends on the
 * database's collation, which may know ASCII letters only.
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
