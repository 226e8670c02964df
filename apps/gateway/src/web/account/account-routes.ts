import type { RouteTable } from '../page-route.ts';
import { ownAccount } from './account-scope.ts';
import { apiKeysPage } from './api-keys-page.tsx';
import { emailsPage } from './emails-page.tsx';
import { passwordPage } from './password-page.tsx';
import { permissionsPage } from './permissions-page.tsx';
import { profilePage } from './profile-page.tsx';
import { followedPage, ownedPage } from './repositories-page.tsx';

/** Pages of the visitor's own account, by their paths below /_admin. */
export const accountRoutes: RouteTable = {
  my_account: profilePage,
  'my_account/password': passwordPage,
  'my_account/emails': emailsPage(ownAccount),
  'my_account/api_keys': apiKeysPage(ownAccount),
  'my_account/repos': ownedPage,
  'my_account/watched': followedPage,
  'my_account/perms': permissionsPage(ownAccount),
};
