import type { ProcessState } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { When } from '../../layout/when.tsx';
import { duration } from '../../render/text/duration.ts';
import { fileSize } from '../../render/text/file-size.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { LaneTable } from './lane-table.tsx';
import { RunningList } from './running-list.tsx';

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
        {fileSize(memoryBytes)}
        {childMemoryBytes !== null && `, and ${fileSize(childMemoryBytes)} of git and hg`}
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
