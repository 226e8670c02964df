import { rerenderOnError, type Refusal } from '../form/rerender-on-error.ts';
import type { Account } from '../layout/account-frame.tsx';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import type { AccountScope } from './account-scope.ts';

interface AccountForm {
  readonly show: (visit: Visit, account: Account, refusal: Refusal | null) => Promise<Response>;
  /** Performs the form's action and returns the redirect. */
  readonly take: (visit: Visit, account: Account) => Promise<Response>;
}

/** A page of an account with forms that are sent to the page itself. */
export function accountForm({ accountOf, ...route }: AccountScope, { show, take }: AccountForm): PageRoute {
  return {
    ...route,
    get: async (visit) => show(visit, await accountOf(visit), null),
    async post(visit) {
      const account = await accountOf(visit);
      return rerenderOnError(
        () => take(visit, account),
        (refusal) => show(visit, account, refusal),
      );
    },
  };
}
