import type { Account } from '../layout/account-frame.tsx';
import type { Audience, PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';

/** The scope of a page that users and administrators share: its view, its audience, and the account that it shows. */
export interface AccountScope extends Pick<PageRoute, 'view'> {
  readonly audience: Audience;
  readonly accountOf: (visit: Visit) => Promise<Account>;
}

/** The scope of the pages on which users change their own accounts. */
export const ownAccount: AccountScope = {
  view: 'MyAccountController:__before__',
  audience: 'users',
  accountOf: async () => ({
    heading: 'My account',
    path: '/_admin/my_account',
    section: 'account',
    userid: null,
    parts: {
      '': 'Profile',
      password: 'Password',
      emails: 'E-mail addresses',
      api_keys: 'API keys',
      repos: 'Own repositories',
      watched: 'Followed repositories',
      perms: 'Permissions',
    },
  }),
};
