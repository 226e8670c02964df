import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import { CsrfField } from '../../layout/page.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visit } from '../../visit.ts';
import type { Visitor } from '../../visitor/visitor.ts';
import { adminForm } from '../admin-form.ts';
import { cancelNotice } from './cancel-notice.ts';
import { cancelEffect } from './cancel-effect.ts';
import { cancelPath, OperationTitle } from './operation-list.tsx';

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
  view: 'OperationsController:cancel',
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
