const colours = 8;

/** The same colour, 0 to 7, for the same name everywhere (FNV-1a). */
export function colourIndex(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name.slice(0, 200)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0) % colours;
}
