import type { Child } from 'hono/jsx';
import type { Visit } from '../visit.ts';
import { showAdminPage } from './admin-frame.tsx';
import { PartLinks } from './part-links.tsx';
import { showPage } from './show-page.tsx';
import { partLinks, partPath, type TabbedPages } from './tabbed-pages.ts';

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
