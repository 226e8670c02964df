import { CoalescingCache } from '@trunkline/runtime/concurrency';
import type { OpenFile } from '../vcs/content.ts';

export interface FileKey {
  readonly repositoryUuid: string;
  readonly generation: number;
  /** The full id. */
  readonly rawId: string;
  readonly path: string;
}

/** A file with its whole content; null for the content of a larger one. */
export interface SmallFile {
  readonly size: number;
  readonly content: Buffer | null;
}

const sizeMax = 256 * 1024;
const bytesMax = 16 * 1024 * 1024;
/** The memory of an entry beside its content and its name, in bytes. */
const bytesOfEntry = 300;

/** Reads a short file into one buffer. */
async function allOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A cache of small files; concurrent reads of one file share one read. */
export class SmallFiles {
  readonly #readings = new CoalescingCache<SmallFile>(
    bytesMax,
    ({ content }, key) => (content?.length ?? 0) + 2 * key.length + bytesOfEntry,
  );

  get(wanted: FileKey, open: () => Promise<OpenFile>): Promise<SmallFile> {
    const { repositoryUuid, generation, rawId, path } = wanted;
    return this.#readings.get([repositoryUuid, generation, rawId, path], async () => {
      const { size, content } = await open();
      return { size, content: size > sizeMax ? null : await allOf(content) };
    });
  }
}
