import type { Child } from 'hono/jsx';
import { NotFoundError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import type { Visit } from '../visit.ts';
import { showAdminPage } from '../layout/admin-frame.tsx';
import { PartLinks, partLinks, partPath, type TabbedPages } from '../layout/tabbed-pages.tsx';
import { showPage } from '../layout/page.tsx';
import type { Audience, PageRoute } from '../page-route.ts';
import { formRoute, type FormPage } from '../form/form-route.ts';

/** The account that pages show: the visitor's own or, for administrators, any user's. */
export interface Account extends TabbedPages {
  readonly section: 'account' | 'admin';
  /** The user id for the methods' arguments; null for the visitor's own account. */
  readonly userid: number | null;
}

interface AccountPage {
  /** The key of the page in the account's `parts`. */
  readonly part: string;
  readonly status?: number;
  readonly children: Child;
}

function AccountFrame({ account, part, children }: { account: Account } & Omit<AccountPage, 'status'>) {
  return (
    <>
      <h1>{account.heading}</h1>
      <div class="sidebar-layout">
        <PartLinks
          className="sidebar"
          label={account.heading}
          links={partLinks(account)}
          current={partPath(account, part)}
        />
        <div class="part">{children}</div>
      </div>
    </>
  );
}

/**
 * Renders a page of an account beside links to the account's other pages. Pages of another user's account are shown
 * within the administration.
 */
export function showAccountPage(visit: Visit, account: Account, { status = 200, ...page }: AccountPage): Response {
  const { heading, section, parts } = account;
  const { part, children } = page;
  if (section === 'admin') {
    return showAdminPage(visit, { section: 'users', tabbed: { of: account, part }, status, children });
  }
  const title = `${parts[part] ?? ''} · ${heading}`;
  return showPage(visit, { title, section, status, children: <AccountFrame account={account} {...page} /> });
}

/** The scope of a page that users and administrators share: its name, its audience, and the account that it shows. */
export interface AccountScope extends Pick<PageRoute, 'pageName'> {
  readonly audience: Audience;
  readonly accountOf: (visit: Visit) => Promise<Account>;
}

/** The scope of the pages on which users change their own accounts. */
export const ownAccount: AccountScope = {
  pageName: 'MyAccountController:__before__',
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

/** Returns the route of an account's page with forms. */
export function accountForm(
  { accountOf, ...route }: AccountScope,
  page: Omit<FormPage<Account>, 'readObject'>,
): PageRoute {
  return formRoute(route, { readObject: accountOf, ...page });
}

export type AccountUser = NonNullable<ResultOfMethod<Served['get_user']>>;

/** Reads the user of an account. Throws NotFoundError when there is no such user. */
export async function readUser(visit: Visit, { userid }: Account): Promise<AccountUser> {
  const user = await visit.worker.call('get_user', { userid });
  if (!user) throw new NotFoundError('There is no such user.');
  return user;
}
