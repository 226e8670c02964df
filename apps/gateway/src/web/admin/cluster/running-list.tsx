import type { ProcessState } from '@trunkline/contracts';
import { duration } from '../../render/text/duration.ts';
import { shownText } from '../../render/text/shown-text.ts';

const msOfSecond = 1_000;

interface Row {
  readonly what: string;
  readonly kind: string;
  readonly id: string;
  readonly ms: number;
}

function rowsOf({ calls, operations }: ProcessState): Row[] {
  return [
    ...operations.oldest.map(({ kind, ...one }) => ({ ...one, what: kind, kind: 'operation' })),
    ...calls.oldest.map(({ method, lane, ...one }) => ({ ...one, what: method, kind: lane })),
  ];
}

/** Shows the calls and operations of a process that have run longest. */
export function RunningList({ state }: { state: ProcessState }) {
  const rows = rowsOf(state);
  if (rows.length === 0) return <p class="soft">Nothing runs now.</p>;
  const more = state.calls.count + state.operations.count - rows.length;
  return (
    <>
      <h4>Runs now</h4>
      <ul class="plain running">
        {rows.map(({ what, kind, id, ms }) => (
          <li>
            <span>{shownText(what)}</span>
            <span class="soft">{shownText(kind)}</span>
            <span class="number">{duration(ms / msOfSecond)}</span>
            <code class="soft">{shownText(id)}</code>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="soft">And {more} more.</p>}
    </>
  );
}
