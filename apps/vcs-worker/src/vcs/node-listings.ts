import { CoalescingCache } from '@trunkline/runtime/concurrency';
import type { TreeNode } from './backend.ts';

export interface ListingKey {
  readonly repositoryUuid: string;
  readonly generation: number;
  /** The full id. */
  readonly rawId: string;
  /** Without slashes at either end. */
  readonly root: string;
}

/** What a node takes in memory beside its name, as measured with long and short names. */
const bytesOfNode = 160;

function bytesOf(nodes: readonly TreeNode[], key: string): number {
  return nodes.reduce((bytes, { name }) => bytes + 2 * name.length + bytesOfNode, 2 * key.length + bytesOfNode);
}

/** Node listings that were asked for lately; of one that is not kept, one reading serves all who wait for it. */
export class NodeListings {
  readonly #readings: CoalescingCache<readonly TreeNode[]>;

  constructor(bytesMax: number) {
    this.#readings = new CoalescingCache(bytesMax, bytesOf);
  }

  /** The listing of a key; a reading that fails is not kept, and fails for everyone who waits. */
  get(wanted: ListingKey, read: () => Promise<readonly TreeNode[]>): Promise<readonly TreeNode[]> {
    const { repositoryUuid, generation, rawId, root } = wanted;
    return this.#readings.get([repositoryUuid, generation, rawId, root], read);
  }
}
