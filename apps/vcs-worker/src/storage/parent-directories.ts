import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './durable.ts';

/**
 * The directories of a storage into which this process renames repositories. Each is synced into the one above it once in
 * the life of the process, whoever has made it: that process may have been killed before its sync.
 */
export class ParentDirectories {
  readonly #durable = new Set<string>();

  /** Makes the directory if it is not there; it survives a power failure afterwards. */
  async ensure(directory: string): Promise<void> {
    const firstMade = await mkdir(directory, { recursive: true });
    if (firstMade === undefined && this.#durable.has(directory)) return;
    const highest = dirname(firstMade ?? directory);
    let above = dirname(directory);
    for (; above !== highest; above = dirname(above)) await syncDirectory(above);
    await syncDirectory(highest);
    this.#durable.add(directory);
  }
}
