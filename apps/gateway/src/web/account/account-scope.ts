import type { Account } from '../layout/account-frame.tsx';
import type { Audience, PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';

/** The account that pages show and the audience they have: the same pages serve users and administrators. */
export interface AccountScope extends Pick<PageRoute, 'view'> {
  readonly audience: Audience;
  readonly accountOf: (visit: Visit) => Promise<Account>;
}

/** Every page of a user's own account. */
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
