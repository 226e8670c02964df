import type { ProcessState } from '@trunkline/contracts';
import { shownText } from '../../render/text/shown-text.ts';

/** Shows how many slots of each lane are busy. */
export function LaneTable({ lanes }: Pick<ProcessState, 'lanes'>) {
  return (
    <table class="lanes">
      <thead>
        <tr>
          <th scope="col">Lane</th>
          <th scope="col" class="number">
            Busy slots
          </th>
          <th scope="col">
            <span class="visually-hidden">Share of all slots</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {lanes.map(({ lane, slots, busy }) => (
          <tr>
            <td>{shownText(lane)}</td>
            <td class="number">
              {busy} of {slots}
            </td>
            <td>
              <progress
                value={busy}
                max={Math.max(slots, 1)}
                aria-label={`Busy slots of the lane ${shownText(lane)}`}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
