import { LRUCache } from 'lru-cache';
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
  readonly #kept: LRUCache<string, readonly TreeNode[]>;
  readonly #running = new Map<string, Promise<readonly TreeNode[]>>();

  constructor(bytesMax: number) {
    this.#kept = new LRUCache({ maxSize: bytesMax, sizeCalculation: bytesOf });
  }

  /** The listing of a key; a reading that fails is not kept, and fails for everyone who waits. */
  async get(wanted: ListingKey, read: () => Promise<readonly TreeNode[]>): Promise<readonly TreeNode[]> {
    const { repositoryUuid, generation, rawId, root } = wanted;
    const key = [repositoryUuid, generation, rawId, root].join('\0');
    return this.#kept.get(key) ?? this.#running.get(key) ?? this.#read(key, read);
  }

  #read(key: string, read: () => Promise<readonly TreeNode[]>): Promise<readonly TreeNode[]> {
    const reading = (async () => {
      try {
        const nodes = await read();
        this.#kept.set(key, nodes);
        return nodes;
      } finally {
        this.#running.delete(key);
      }
    })();
    this.#running.set(key, reading);
    return reading;
  }
}
