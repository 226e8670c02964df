import type { RefRecord } from '@trunkline/contracts';
import type { Visit } from '../../visit.ts';

/** The first references to a changeset, and how many there are. */
export interface ChangesetRefs {
  readonly refs: readonly RefRecord[];
  readonly count: number;
}

/** Reads the references to changesets, by the changesets' ids. */
export async function readRefsOf(
  { worker }: Visit,
  repoid: string | number,
  rawIds: readonly string[],
): Promise<ReadonlyMap<string, ChangesetRefs>> {
  if (rawIds.length === 0) return new Map();
  const found = await worker.call('refs_of', { repoid, raw_ids: rawIds });
  return new Map(found.map(({ raw_id: rawId, ...refs }) => [rawId, refs]));
}
