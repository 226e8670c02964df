import type { Child } from 'hono/jsx';
import type { Visit } from '../visit.ts';
import type { Section } from './page.tsx';
import { showPage } from './show-page.tsx';

/** The account that pages are about: the visitor's own, or anybody's for administrators. */
export interface Account {
  /** The heading of every page. */
  readonly heading: string;
  /** The address of the first part, with which those of the others begin. */
  readonly path: string;
  readonly section: Section;
  /** Whom the operations are about; null for the visitor himself. */
  readonly userid: number | null;
  /** Labels by the last segment of the address; the first part has none. */
  readonly parts: Readonly<Record<string, string>>;
}

interface AccountPage {
  /** One of the account's parts. */
  readonly part: string;
  readonly status?: number;
  readonly children: Child;
}

/** The address of a part of an account: of its page, and of the forms on it. */
export function partPath({ path }: Account, part: string): string {
  return part === '' ? path : `${path}/${part}`;
}

function AccountFrame({ account, part, children }: { account: Account } & Omit<AccountPage, 'status'>) {
  return (
    <>
      <h1>{account.heading}</h1>
      <div class="sidebar-layout">
        <nav class="sidebar" aria-label={account.heading}>
          {Object.entries(account.parts).map(([one, label]) => (
            <a href={partPath(account, one)} {...(one === part ? { 'aria-current': 'page' } : {})}>
              {label}
            </a>
          ))}
        </nav>
        <div class="part">{children}</div>
      </div>
    </>
  );
}

/** A page of an account, beside the list of its parts. */
export function showAccountPage(visit: Visit, account: Account, { status = 200, ...page }: AccountPage): Response {
  const { heading, section, parts } = account;
  const title = `${parts[page.part] ?? ''} · ${heading}`;
  return showPage(visit, { title, section, status, children: <AccountFrame account={account} {...page} /> });
}
