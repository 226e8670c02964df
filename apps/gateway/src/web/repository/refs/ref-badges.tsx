import { shownText } from '../../render/text/shown-text.ts';
import type { Ref } from './changeset-refs.ts';

const shownMax = 12;

/** Renders the references to a changeset as at most `shownMax` badges, and the number of the others. */
export function RefBadges({ refs }: { refs: readonly Ref[] }) {
  if (refs.length === 0) return null;
  return (
    <span class="badges refs">
      {refs.slice(0, shownMax).map(({ kind, name, isClosed }) => (
        <span class={`badge ref ${kind}`}>
          <span class="kind">{isClosed ? 'closed branch' : kind}</span> {shownText(name)}
        </span>
      ))}
      {refs.length > shownMax && <span class="badge">{refs.length - shownMax} more</span>}
    </span>
  );
}
