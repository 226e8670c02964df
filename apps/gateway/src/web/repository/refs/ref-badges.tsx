import { shownText } from '../../render/text/shown-text.ts';
import type { Ref } from './changeset-refs.ts';

const shownMax = 12;

/** The references to a changeset as badges, cut at a limit. */
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
