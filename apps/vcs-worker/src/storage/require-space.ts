import { ConflictError } from '@trunkline/contracts';
import type { ServedStorage } from './storages.ts';

/** Throws the client's error when the storage would be full with as many bytes more. */
export async function requireSpace({ storage, watch }: ServedStorage, bytes: number): Promise<void> {
  if (!(await watch.hasSpaceFor(bytes))) throw new ConflictError(`Storage \`${storage.name}\` is full`);
}
