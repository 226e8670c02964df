import { shownText } from '../../render/text/shown-text.ts';
import type { ChangesetRefs } from './changeset-refs.ts';

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
