/** Returns a form of a name or address that is the same for upper and lower case, in any script. */
export function foldCase(value: string): string {
  // Lower case comes first, because the capital ẞ is its own upper case, while ß becomes SS.
  return value.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
