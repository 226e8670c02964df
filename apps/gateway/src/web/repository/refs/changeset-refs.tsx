import type { RefRecord } from '@trunkline/contracts';
import type { Visit } from '../../visit.ts';
import { shownText } from '../../render/shown-text.ts';

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

/** Renders the first references to a changeset as badges, and the number of the others. */
export function RefBadges({ found }: { found: ChangesetRefs | undefined }) {
  if (!found || found.count === 0) return null;
  const { refs, count } = found;
  return (
    <span class="badges refs">
      {refs.map(({ kind, name, closed }) => (
        <span class={`badge ref ${kind}`}>
          <span class="kind">{closed ? 'closed branch' : kind}</span> {shownText(name)}
        </span>
      ))}
      {count > refs.length && <span class="badge">{count - refs.length} more</span>}
    </span>
  );
}
