import type { OperationRecord, PulledRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { ApiText, When } from '../../layout/inline.tsx';

const badges = { running: 'badge warn', done: 'badge good', failed: 'badge bad' } as const;

/** Returns the path of the page that cancels an operation. */
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

interface RepositoryProps {
  /** The name of the repository in the operation's record. */
  readonly name: string;
  /** The present name of the repository; null when the repository is gone or no page shows it. */
  readonly present: string | null;
}

/** Renders the recorded name, linked by the present one: a repository of the recorded name may be gone or another. */
function Repository({ name, present }: RepositoryProps) {
  if (present === null) return <span>{name}</span>;
  const link = <a href={pathTo(present)}>{present}</a>;
  return present === name ? (
    link
  ) : (
    <span>
      {name}, now {link}
    </span>
  );
}

interface TitleProps {
  readonly operation: OperationRecord;
  readonly present?: string | null;
}

export function OperationTitle({ operation: { kind, repo_name: name, state }, present = null }: TitleProps) {
  return (
    <div class="title">
      <strong>{kind}</strong>
      {name !== null && <Repository name={name} present={present} />}
      <span class={badges[state]}>{state}</span>
    </div>
  );
}

const pulledWords: readonly (readonly [keyof PulledRecord, string, string])[] = [
  ['branches_added', 'new branch', 'new branches'],
  ['branches_moved', 'changed branch', 'changed branches'],
  ['branches_removed', 'removed branch', 'removed branches'],
  ['tags_added', 'new tag', 'new tags'],
  ['tags_removed', 'removed tag', 'removed tags'],
  ['tags_kept', 'tag that differs on the remote', 'tags that differ on the remote'],
  ['left_out', 'name left out', 'names left out'],
];

/** Says what a pull has made of branches and tags. */
export function pulledText(pulled: PulledRecord): string {
  const parts = pulledWords.flatMap(([name, one, several]) => {
    const count = pulled[name];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
  });
  return parts.length === 0 ? 'no branch or tag has changed' : parts.join(', ');
}

/** Names the user who began an operation; what the service maintains by itself has none. */
function actorText(kind: string, user: string | null): string {
  if (user !== null) return `by ${user}`;
  return kind === 'maintain' || kind === 'verify' ? 'by the service' : 'by a deleted user';
}

interface RowProps extends Required<TitleProps> {
  readonly mayCancel: boolean;
}

function OperationRow({ operation, present, mayCancel }: RowProps) {
  const { operation_id: id, kind, state, attempt, error, pulled, user } = operation;
  const { created_on: created, finished_on: ended } = operation;
  const isRunning = state === 'running';
  return (
    <li>
      <OperationTitle operation={operation} present={present} />
      {isRunning && <Progress operation={operation} />}
      {error !== null && (
        <p class="bad-text">
          <ApiText text={error} />
        </p>
      )}
      {pulled && <p>{pulledText(pulled)}</p>}
      <p class="meta">
        <span>{actorText(kind, user)}</span>
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
      {isRunning && mayCancel && (
        <p>
          <a href={cancelPath(id)}>
            Cancel…<span class="visually-hidden"> {kind}</span>
          </a>
        </p>
      )}
    </li>
  );
}

interface ListProps {
  readonly operations: readonly OperationRecord[];
  /** Present names of repositories by their ids. */
  readonly names: ReadonlyMap<number, string>;
  /** Ids of the operations whose storage is away. */
  readonly stranded: ReadonlySet<string>;
}

export function OperationList({ operations, names, stranded }: ListProps) {
  return (
    <ul class="plain rows">
      {operations.map((operation) => (
        <OperationRow
          operation={operation}
          present={operation.repo_id === null ? null : (names.get(operation.repo_id) ?? null)}
          // `cancel_operation` refuses deletions, unless their storage is away.
          mayCancel={operation.kind !== 'delete' || stranded.has(operation.operation_id)}
        />
      ))}
    </ul>
  );
}
