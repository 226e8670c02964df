import { CoalescingCache, type CacheFigures } from '@trunkline/runtime/concurrency';
import { collectBytes } from '../../collect-bytes.ts';
import type { OpenFile } from '../../vcs/content.ts';

export interface FileKey {
  readonly repositoryUuid: string;
  readonly generation: number;
  /** Full id of the changeset. */
  readonly rawId: string;
  readonly path: string;
}

/** Size and content of a file; the content of a file that is too large for the cache is null. */
export interface SmallFile {
  readonly size: number;
  readonly content: Buffer | null;
}

const sizeMax = 256 * 1024;
const bytesMax = 16 * 1024 * 1024;
/** Memory of an entry beside its content and its key, in bytes. */
const bytesOfEntry = 300;

/** Cache of small files; concurrent calls for one file share one read. */
export class SmallFiles {
  readonly #readings = new CoalescingCache<SmallFile>(
    bytesMax,
    ({ content }, key) => (content?.length ?? 0) + 2 * key.length + bytesOfEntry,
  );

  get figures(): CacheFigures {
    return this.#readings.figures;
  }

  get(wanted: FileKey, open: (signal: AbortSignal) => Promise<OpenFile>, signal: AbortSignal): Promise<SmallFile> {
    const { repositoryUuid, generation, rawId, path } = wanted;
    const read = async (shared: AbortSignal) => {
      const { size, content } = await open(shared);
      return { size, content: size > sizeMax ? null : await collectBytes(content) };
    };
    return this.#readings.get([repositoryUuid, generation, rawId, path], read, signal);
  }
}
