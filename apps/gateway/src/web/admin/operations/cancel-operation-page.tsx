import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import { CsrfField } from '../../layout/page.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visitor } from '../../visitor/visitor.ts';
import { adminForm } from '../admin-form.ts';
import { cancelPath, OperationTitle } from './operation-list.tsx';

function CancelForm({ visitor, id }: { visitor: Visitor; id: string }) {
  return (
    <>
      <p>This undoes everything that the operation has done so far.</p>
      <form method="post" action={cancelPath(id)} class="inline">
        <CsrfField visitor={visitor} />
        <button class="danger">Cancel this operation</button>
        <a href={adminPath('operations')}>Keep it running</a>
      </form>
    </>
  );
}

/** The page that cancels an operation after a confirmation. */
export const cancelOperationPage = adminForm({
  view: 'OperationsController:cancel',
  readObject: ({ worker, segments: [, , id = ''] }) => worker.call('get_operation', { operation_id: id }),
  async show(visit, operation, refusal) {
    const children = (
      <>
        <RefusalText refusal={refusal} />
        <OperationTitle operation={operation} />
        {operation.state === 'running' ? (
          <CancelForm visitor={visit.visitor} id={operation.operation_id} />
        ) : (
          <p>
            This operation has ended. <a href={adminPath('operations')}>All operations</a>
          </p>
        )}
      </>
    );
    const status = refusal?.status ?? 200;
    return showAdminPage(visit, { section: 'operations', heading: 'Cancel an operation', status, children });
  },
  async submit({ worker }, { operation_id: id }) {
    const { success } = await worker.call('cancel_operation', { operation_id: id });
    return seeOther(
      adminPath('operations'),
      noticeCookie(success ? 'The operation is being cancelled.' : 'The operation has already ended.'),
    );
  },
});
