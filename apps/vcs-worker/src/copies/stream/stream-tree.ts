import type { LinkSource } from '../copies.ts';
import { encodeHeader, filesAtOnce, type Header, treeLimits } from './frames.ts';
import type { HandedFiles } from './handed-files.ts';
import { rawFiles } from './raw-files.ts';
import { type EntryReading, readAhead, readEntry, type ReadEntry, readExactly } from './read-entries.ts';
import { walkTree } from './walk-tree.ts';

export interface StreamedTree {
  readonly path: string;
  readonly isTransient: (path: string) => boolean;
  /** Only files whose status was changed at this time or later are sent; null sends all. */
  readonly changedSinceMs: number | null;
  /** Raw paths of files that are sent in any case. */
  readonly again: ReadonlySet<string>;
  readonly linkSources: readonly LinkSource[];
  /** Takes large files as they are, where the tree is written in this process. */
  readonly handed?: HandedFiles | undefined;
}

const pieceBytes = 256 * 1024;
const blockBytes = 512 * 1024;
const pauseMsMax = 5_000;

/** Joins small pieces to larger ones, and keeps none back for long. */
class Packer {
  #held: Buffer[] = [];
  #bytes = 0;
  #sentAt = performance.now();

  /** Adds bytes; returns a piece when it is large or old enough. */
  add(bytes: Buffer): Buffer | null {
    this.#held.push(bytes);
    this.#bytes += bytes.length;
    return this.#bytes >= pieceBytes || performance.now() - this.#sentAt > pauseMsMax ? this.take() : null;
  }

  take(): Buffer {
    const [only] = this.#held;
    const piece = only && this.#held.length === 1 ? only : Buffer.concat(this.#held, this.#bytes);
    this.#held = [];
    this.#bytes = 0;
    this.#sentAt = performance.now();
    return piece;
  }
}

function leave(entry: ReadEntry | null): void {
  if (entry?.open !== undefined) rawFiles.close(entry.open).catch(() => {});
}

/** Returns pieces, then a large file, which is read one block ahead and closed at the end. */
async function* withBlocksOf(before: Buffer, file: number, size: number): AsyncGenerator<Buffer> {
  const read = (at: number) => readExactly(file, Math.min(blockBytes, size - at), at);
  let next = read(0);
  try {
    yield before;
    for (let at = blockBytes; at < size; at += blockBytes) {
      const block = await next;
      next = read(at);
      // Its failure is thrown when its turn comes.
      next.catch(() => {});
      yield block;
    }
    yield await next;
  } finally {
    await next.catch(() => {});
    await rawFiles.close(file);
  }
}

/** Replaces a file that was named before by a hard link to that one. */
function linksWithin() {
  const sent = new Map<string, { readonly directory: number; readonly target: string }>();
  return ({ header, inode }: ReadEntry): Header => {
    if (!inode || (header.kind !== 'file' && header.kind !== 'shared')) return header;
    const { name, size, mtime } = header;
    const first = sent.get(inode.key);
    if (first) return { kind: 'link', name, size, mtime, ...first };
    if (sent.size < treeLimits.linkedFiles) sent.set(inode.key, { directory: inode.directory, target: name });
    return header;
  };
}

/** Returns a function that finds a file that is the same one at the same path of another repository. */
function sharedWith(linkSources: readonly LinkSource[]): EntryReading['findShared'] {
  const roots = linkSources.map(({ path }) => rawFiles.pathOf(path));
  return async (path, inode) => {
    for (const [index, root] of roots.entries()) {
      const found = await rawFiles.lstatExactly(`${root}/${path}`).catch(() => null);
      if (found && `${found.dev}:${found.ino}` === inode) return index;
    }
    return -1;
  };
}

/** Encodes a tree as a stream of frames. Files may change, come and go meanwhile. */
export async function* streamTree(tree: StreamedTree): AsyncGenerator<Buffer> {
  const { changedSinceMs, again } = tree;
  const root = rawFiles.pathOf(tree.path);
  const reading: EntryReading = {
    root,
    wantsAll: changedSinceMs === null,
    isWanted: (path, ctimeMs) => changedSinceMs === null || ctimeMs >= changedSinceMs || again.has(path),
    findShared: sharedWith(tree.linkSources),
  };
  const linked = linksWithin();
  const packer = new Packer();
  const { mode } = await rawFiles.lstat(root);
  packer.add(encodeHeader({ kind: 'root', mode: mode & 0o777 }));
  const entries = readAhead(walkTree(root, tree.isTransient), filesAtOnce, (found) => readEntry(reading, found), leave);
  for await (const entry of entries) {
    if (!entry) continue;
    const header = linked(entry);
    const piece = packer.add(encodeHeader(header));
    if (header.kind === 'file' && entry.open !== undefined) {
      if (tree.handed?.hand(entry.open, header.size)) yield piece ?? packer.take();
      else yield* withBlocksOf(piece ?? packer.take(), entry.open, header.size);
      continue;
    }
    leave(entry);
    if (piece) yield piece;
    const content = header.kind === 'file' && entry.data ? packer.add(entry.data) : null;
    if (content) yield content;
  }
  packer.add(encodeHeader({ kind: 'end' }));
  yield packer.take();
}
