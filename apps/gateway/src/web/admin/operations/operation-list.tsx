import type { OperationRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/when.tsx';
import { shownLines } from '../../render/text/shown-text.ts';

const badges = { running: 'badge warn', done: 'badge good', failed: 'badge bad' } as const;

/** The path of the page that cancels an operation. */
export function cancelPath(id: string): string {
  return pathTo('_admin', 'operations', id, 'cancel');
}

function Progress({ operation: { kind, repo_name: name, progress } }: { operation: OperationRecord }) {
  if (!progress) return null;
  const { phase, done, total, unit } = progress;
  const known = total !== null && total > 0;
  const count = known ? `${done} of ${total}` : String(done);
  return (
    <div class="progress">
      <progress {...(known ? { value: done, max: total } : {})} aria-label={`${kind} of ${name ?? 'a repository'}`} />
      <span class="soft small">
        {phase}: {count}
        {unit === undefined ? '' : ` ${unit}`}
      </span>
    </div>
  );
}

export function OperationTitle({ operation }: { operation: OperationRecord }) {
  const { kind, repo_id: repoId, repo_name: name, state } = operation;
  return (
    <div class="title">
      <strong>{kind}</strong>
      {name !== null && (repoId === null ? <span>{name}</span> : <a href={pathTo(name)}>{name}</a>)}
      <span class={badges[state]}>{state}</span>
    </div>
  );
}

function OperationRow({ operation }: { operation: OperationRecord }) {
  const { operation_id: id, kind, state, attempt, error, user, created_on: created, finished_on: ended } = operation;
  const isRunning = state === 'running';
  return (
    <li>
      <OperationTitle operation={operation} />
      {isRunning && <Progress operation={operation} />}
      {error !== null && <p class="bad-text">{shownLines(error)}</p>}
      <p class="meta">
        <span>{user === null ? 'by a user who is gone' : `by ${user}`}</span>
        <span>
          began <When date={created} />
        </span>
        {ended !== null && (
          <span>
            ended <When date={ended} />
          </span>
        )}
        {attempt > 1 && <span>attempt {attempt}</span>}
        <code>{id}</code>
      </p>
      {isRunning && kind !== 'delete' && (
        <p>
          <a href={cancelPath(id)}>
            Cancel…<span class="visually-hidden"> {kind}</span>
          </a>
        </p>
      )}
    </li>
  );
}

export function OperationList({ operations }: { operations: readonly OperationRecord[] }) {
  return (
    <ul class="plain rows">
      {operations.map((operation) => (
        <OperationRow operation={operation} />
      ))}
    </ul>
  );
}
