import type { OperationRecord } from '@trunkline/contracts';
import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import { CsrfField, seeOther } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import type { Visitor } from '../../identify.ts';
import { adminForm } from '../admin-form.ts';
import { cancelPath, OperationTitle } from './operation-list.tsx';

type Effects = Readonly<Record<string, string>>;

const created = 'The repository is removed, with the groups that were made for it.';
const failed = 'The operation ends as failed.';

/** What becomes of an operation of each kind that a worker runs. */
const effects: Effects = {
  create: created,
  import: created,
  fork: 'The fork is removed, with the groups that were made for it. Its source stays as it is.',
  adopt:
    'The repository is removed from the list, with the groups that were made for it. Its files stay where they are.',
  pull: 'The pull ends as failed. The repository keeps all that it had before.',
  push: 'A push that a worker completes goes on to its end. If the worker has stopped, the push is completed when some of it is visible, and fails otherwise: its client pushes again.',
  move: 'The repository stays on its storage, in use as before, and the copy is removed. Other moves that the same call has begun, and that have not ended, are cancelled, too.',
  maintain:
    'The repository stays whole and in use. What is packed already stays packed, and objects that are removed stay removed.',
  verify: 'The repository stays as it is, and is read another day.',
  restore: 'The repository stays deleted, and can be restored later. Groups that were made for it are removed.',
  replace: 'The repository stays as it is, and what an import has copied to replace it is removed.',
  default_branch: 'The default branch stays as it was, unless it is changed already.',
};

/** The same where no worker can run or undo the operation, since its storage is away. */
const effectsWithoutStorage: Effects = {
  ...effects,
  pull: failed,
  push: failed,
  default_branch: failed,
  delete: 'The deletion ends as failed, and the repository exists again.',
};
const storageAway =
  'Its storage is away, so this is recorded at once, and what the operation has left on the disk is cleared when the storage returns.';

/** Returns what cancelling does; null for an operation that cannot be cancelled. */
export function cancelEffect({ kind }: Pick<OperationRecord, 'kind'>, isStranded: boolean): string | null {
  if (kind === 'delete' && !isStranded) return null;
  const known = isStranded ? effectsWithoutStorage : effects;
  // Another release may have kinds of its own.
  const effect = (Object.hasOwn(known, kind) ? known[kind] : undefined) ?? failed;
  return isStranded ? `${effect} ${storageAway}` : effect;
}

/** Returns the notice that tells what became of an operation that was to be cancelled, by the text of `cancel_operation`. */
export function cancelNotice(text: string): string {
  return `${text.replace(/^operation `[^`]*`/, 'The operation')}.`;
}

function CancelForm({ visitor, id, effect }: { visitor: Visitor; id: string; effect: string }) {
  return (
    <>
      <p>{effect}</p>
      <form method="post" action={cancelPath(id)} class="inline">
        <CsrfField visitor={visitor} />
        <button class="danger">Cancel this operation</button>
        <a href={adminPath('operations')}>Keep it running</a>
      </form>
    </>
  );
}

function NothingToCancel({ reason }: { reason: string }) {
  return (
    <p>
      {reason} <a href={adminPath('operations')}>All operations</a>
    </p>
  );
}

/** Reads the operation, and what cancelling it does; null when it cannot be cancelled. */
async function readCancellable({ worker, segments: [, , id = ''] }: Visit) {
  const operation = await worker.call('get_operation', { operation_id: id });
  if (operation.state !== 'running') return { operation, effect: null };
  const { operation_ids: stranded } = await worker.call('list_stranded_operations', { ids: [operation.operation_id] });
  return { operation, effect: cancelEffect(operation, stranded.length > 0) };
}

/** The page that cancels an operation after a confirmation. */
export const cancelOperationPage = adminForm({
  pageName: 'OperationsController:cancel',
  readObject: readCancellable,
  async show(visit, { operation, effect }, refusal) {
    const { state, operation_id: id } = operation;
    const reason = state === 'running' ? 'A deletion cannot be cancelled.' : 'This operation has ended.';
    const children = (
      <>
        <RefusalText refusal={refusal} />
        <OperationTitle operation={operation} />
        {effect === null ? (
          <NothingToCancel reason={reason} />
        ) : (
          <CancelForm visitor={visit.visitor} id={id} effect={effect} />
        )}
      </>
    );
    const status = refusal?.status ?? 200;
    return showAdminPage(visit, { section: 'operations', heading: 'Cancel an operation', status, children });
  },
  async submit({ worker }, { operation: { operation_id: id } }) {
    const { msg } = await worker.call('cancel_operation', { operation_id: id });
    return seeOther(adminPath('operations'), noticeCookie(cancelNotice(msg)));
  },
});
