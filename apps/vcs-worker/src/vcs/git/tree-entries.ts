import { nameBytes } from '@trunkline/runtime/text';
import type { GitObjectInfo } from './cat-file.ts';
import type { ObjectReader } from './object-reader.ts';

const idBytes = 20;

interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

/**
 * Returns an entry in a tree object's content; undefined when there is no entry of that name. An entry is its mode, a
 * space, its name, NUL and 20 bytes of its id.
 */
export function entryIn(tree: Buffer, name: string): TreeEntry | undefined {
  const wanted = nameBytes(name);
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0) return undefined;
    if (wanted.equals(tree.subarray(space + 1, end))) {
      return { mode: tree.toString('latin1', at, space), id: tree.toString('hex', end + 1, end + 1 + idBytes) };
    }
    at = end + 1 + idBytes;
  }
  return undefined;
}

/** Returns whether a name can be an argument of a command: Node.js passes UTF-8 alone. */
export function isArgument(name: string): boolean {
  return !name.includes('\ufffd');
}

/** Finds the object at a path of a commit; null when there is none that can be read. */
export async function objectAt(
  reader: ObjectReader,
  path: string,
  rawId: string,
  name: string,
): Promise<GitObjectInfo | null> {
  const lineEnd = name.search(/[\r\n]/);
  if (lineEnd < 0) return reader.check(path, `${rawId}:${name}`);
  // A request to the reader is one line, so that the trees from this segment on are read here.
  const above = Math.max(name.lastIndexOf('/', lineEnd), 0);
  let found = await reader.check(path, `${rawId}:${name.slice(0, above)}`);
  for (const segment of name.slice(above).replace(/^\//, '').split('/')) {
    const tree = found?.type === 'tree' ? await reader.read(path, found.id) : null;
    const entry = tree && entryIn(tree.content, segment);
    found = entry ? await reader.check(path, entry.id) : null;
  }
  return found;
}
