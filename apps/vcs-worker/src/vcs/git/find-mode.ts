const idBytes = 20;

/**
 * Returns the mode of an entry in a tree object's content; undefined when there is no entry of that name. An entry is
 * its mode, a space, its name, NUL and 20 bytes of its id.
 */
export function findMode(tree: Buffer, name: string): string | undefined {
  const wanted = Buffer.from(name);
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0) return undefined;
    if (wanted.equals(tree.subarray(space + 1, end))) return tree.toString('latin1', at, space);
    at = end + 1 + idBytes;
  }
  return undefined;
}
