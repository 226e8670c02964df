import { sizeText, type ProcessState } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { shownText } from '../render/shown-text.ts';
import { duration } from '../render/quantities.ts';
import { When } from '../layout/inline.tsx';

/** Shows how many slots of each lane are busy. */
function LaneTable({ lanes }: Pick<ProcessState, 'lanes'>) {
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
function RunningList({ state }: { state: ProcessState }) {
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

type Role = ProcessState['role'];

const names: Record<Role, string> = { gateway: 'Gateway', 'vcs-worker': 'Worker' };
const idCharsShown = 8;

interface PanelProps {
  readonly role: Role;
  readonly id: string;
  readonly badge: Child;
  readonly children: Child;
}

function Panel({ role, id, badge, children }: PanelProps) {
  const heading = `process-${id}`;
  return (
    <section class="panel" aria-labelledby={heading}>
      <header>
        <h3 id={heading}>
          {names[role]} <code title={id}>{id.slice(0, idCharsShown)}</code>
        </h3>
        {badge}
      </header>
      <div class="body">{children}</div>
    </section>
  );
}

interface AbsentProps {
  readonly role: Role;
  readonly id: string;
}

export function AbsentProcess({ role, id }: AbsentProps) {
  return (
    <Panel role={role} id={id} badge={<span class="badge bad">does not answer</span>}>
      <p>
        It is connected to the database as <code>{`${role} ${id}`}</code>, and did not answer within a second: it stands
        still, is overloaded, has no connection to the bus, or is of a release before 0.2.0.
      </p>
    </Panel>
  );
}

function Facts({ state }: { state: ProcessState }) {
  const { version, host, pid, seconds, memoryBytes, childMemoryBytes, storages, lastError } = state;
  return (
    <dl class="facts">
      <dt>Version</dt>
      <dd>{shownText(version)}</dd>
      <dt>Runs</dt>
      <dd>
        for {duration(seconds)} as process {pid} on {shownText(host)}
      </dd>
      <dt>Memory</dt>
      <dd>
        {sizeText(memoryBytes)}
        {childMemoryBytes !== null && `, and ${sizeText(childMemoryBytes)} of git and hg`}
      </dd>
      {storages.length > 0 && (
        <>
          <dt>Storages</dt>
          <dd>{storages.map(shownText).join(', ')}</dd>
        </>
      )}
      <dt>Last error</dt>
      <dd>
        {lastError === null ? (
          'none since its start'
        ) : (
          <>
            <When date={lastError.at.replace(/Z$/, '')} />: <code>{shownText(lastError.about)}</code>
          </>
        )}
      </dd>
    </dl>
  );
}

/** Shows one process that has answered; `isOwn` says that it is the gateway that shows the page. */
export function ProcessPanel({ state, isOwn }: { state: ProcessState; isOwn: boolean }) {
  const { role, id, lanes } = state;
  return (
    <Panel role={role} id={id} badge={isOwn && <span class="badge">shows this page</span>}>
      <Facts state={state} />
      {lanes.length > 0 && <LaneTable lanes={lanes} />}
      <RunningList state={state} />
    </Panel>
  );
}
