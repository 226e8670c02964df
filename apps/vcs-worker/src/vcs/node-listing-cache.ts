import { CoalescingCache, type CacheFigures } from '@trunkline/runtime/concurrency';
import type { TreeNode } from './backend.ts';

export interface ListingKey {
  readonly repositoryUuid: string;
  readonly generation: number;
  /** Full id of the changeset. */
  readonly rawId: string;
  /** The listed directory, relative to the repository's root and without slashes at either end. */
  readonly root: string;
}

/** Memory of a node beside its name, in bytes, as measured with long and short names. */
const bytesOfNode = 160;

function bytesOf(nodes: readonly TreeNode[], key: string): number {
  return nodes.reduce((bytes, { name }) => bytes + 2 * name.length + bytesOfNode, 2 * key.length + bytesOfNode);
}

/** LRU cache of node listings. Concurrent calls for a listing that is not cached share one reading. */
export class NodeListingCache {
  readonly #readings: CoalescingCache<readonly TreeNode[]>;

  constructor(bytesMax: number) {
    this.#readings = new CoalescingCache(bytesMax, bytesOf);
  }

  get figures(): CacheFigures {
    return this.#readings.figures;
  }

  /**
   * Returns the listing of a key; a reading that fails is not cached, and fails for every call that shares it. The
   * signal of the reading aborts when the signals of all these calls have aborted.
   */
  get(
    wanted: ListingKey,
    read: (signal: AbortSignal) => Promise<readonly TreeNode[]>,
    signal?: AbortSignal,
  ): Promise<readonly TreeNode[]> {
    const { repositoryUuid, generation, rawId, root } = wanted;
    return this.#readings.get([repositoryUuid, generation, rawId, root], read, signal);
  }
}
