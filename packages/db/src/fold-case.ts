/** The form of a name or address in which upper and lower case, in any script, are the same. */
export function foldCase(value: string): string {
  // Lower case first: the capital ẞ is its own upper case, while ß becomes SS.
  return value.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
