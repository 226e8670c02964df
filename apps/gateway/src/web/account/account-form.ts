import { formRoute, type FormPage } from '../form/form-route.ts';
import type { Account } from '../layout/account-frame.tsx';
import type { PageRoute } from '../page-route.ts';
import type { AccountScope } from './account-scope.ts';

/** Returns the route of an account's page with forms. */
export function accountForm(
  { accountOf, ...route }: AccountScope,
  page: Omit<FormPage<Account>, 'readObject'>,
): PageRoute {
  return formRoute(route, { readObject: accountOf, ...page });
}
