import { CoalescingCache, type CacheFigures } from '@trunkline/runtime/concurrency';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import type { VcsReads } from '../../vcs/backend.ts';
import { SortedRefs } from '../../vcs/sorted-refs.ts';

const bytesMax = 96 * 1024 * 1024;

/** Cache of references by repository and generation; concurrent calls for one repository share one read. */
export class KeptRefs {
  readonly #readings = new CoalescingCache<SortedRefs>(bytesMax, ({ bytes }, key) => bytes + 2 * key.length);

  get figures(): CacheFigures {
    return this.#readings.figures;
  }

  get(
    { uuid, generation }: Pick<RepositoryAccess, 'uuid' | 'generation'>,
    { backend, path }: { readonly backend: Pick<VcsReads, 'forCall'>; readonly path: string },
    signal: AbortSignal,
  ): Promise<SortedRefs> {
    const read = async (shared: AbortSignal) => SortedRefs.of(await backend.forCall(shared).refs(path));
    return this.#readings.get([uuid, generation], read, signal);
  }
}
