import type { Child } from 'hono/jsx';
import { stylesheetPath } from '../assets/stylesheet.ts';
import { pathTo } from '../http/path-segments.ts';
import type { Visitor } from '../identify.ts';
import { ApiText } from './inline.tsx';
import { headerText } from '../../http/safe-response.ts';
import { pageHeaders } from '../../http/web-headers.ts';
import { contentPage } from '../http/content-page.ts';
import { clearNotice } from '../http/notice.ts';
import type { Visit } from '../visit.ts';

type Section = 'repositories' | 'journal' | 'account' | 'admin';

export interface Frame {
  readonly title: string;
  readonly siteName: string;
  /** The visitor whom the header names; null shows a link to sign in. */
  readonly visitor: Visitor | null;
  readonly section: Section | null;
  readonly notice: string | null;
  /** Feeds of the page's content. */
  readonly feeds?: readonly { readonly title: string; readonly href: string; readonly type: string }[];
  readonly children: Child;
}

function NavLink({ href, current, children }: { href: string; current: boolean; children: Child }) {
  return (
    <a href={href} {...(current ? { 'aria-current': 'page' } : {})}>
      {children}
    </a>
  );
}

function Account({ visitor, section }: Pick<Frame, 'visitor' | 'section'>) {
  if (!visitor?.session) return visitor?.caller.credential.kind === 'key' ? null : <a href="/_admin/login">Sign in</a>;
  const { username, csrfToken } = visitor.session;
  return (
    <>
      <NavLink href="/_admin/my_account" current={section === 'account'}>
        {username}
      </NavLink>
      <form method="post" action="/_admin/logout">
        <input type="hidden" name="csrf_token" value={csrfToken} />
        <button class="link">Sign out</button>
      </form>
    </>
  );
}

/** Renders a whole HTML page around its content. */
function Page({ title, siteName, visitor, section, notice, feeds = [], children }: Frame) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === siteName ? title : `${title} · ${siteName}`}</title>
        <link rel="stylesheet" href={stylesheetPath} />
        <link rel="icon" href="/_admin/assets/icon.svg" type="image/svg+xml" />
        {feeds.map((feed) => (
          <link rel="alternate" type={feed.type} title={feed.title} href={feed.href} />
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="site">
          <a class="brand" href="/">
            {siteName}
          </a>
          <nav aria-label="Site">
            <NavLink href="/" current={section === 'repositories'}>
              Repositories
            </NavLink>
            {visitor?.session && (
              <NavLink href="/_admin/journal" current={section === 'journal'}>
                Activity
              </NavLink>
            )}
            {visitor?.admin && (
              <NavLink href="/_admin/users" current={section === 'admin'}>
                Administration
              </NavLink>
            )}
          </nav>
          <div class="account">
            <Account visitor={visitor} section={section} />
          </div>
        </header>
        <main id="main">
          {notice !== null && (
            <p class="notice" role="status">
              <ApiText text={notice} />
            </p>
          )}
          {children}
        </main>
      </body>
    </html>
  );
}

/** Renders the hidden field with the CSRF token, without which every form is refused. */
export function CsrfField({ visitor }: { visitor: Visitor }) {
  return <input type="hidden" name="csrf_token" value={visitor.session?.csrfToken ?? ''} />;
}

/** Renders the name of a repository or group, each of its segments as a link. */
export function RepositoryName({ name }: { name: string }) {
  const segments = name.split('/');
  return (
    <>
      {segments.map((segment, index) => (
        <>
          {index > 0 && <span class="slash">/</span>}
          <a href={pathTo(...segments.slice(0, index + 1))}>{segment}</a>
        </>
      ))}
    </>
  );
}

type Shown = Omit<Frame, 'visitor' | 'notice' | 'siteName'>;

function htmlOf(frame: Frame): string {
  const page: unknown = <Page {...frame} />;
  return `<!doctype html>${String(page)}`;
}

/** Renders a page as a response, and clears the cookie of the notice that the page shows. */
export function pageResponse(frame: Frame, status: number): Response {
  const headers = new Headers(pageHeaders);
  // The URL may hold the API key, which no other page needs to know.
  if (frame.visitor?.caller.credential.kind === 'key') headers.set('Referrer-Policy', 'no-referrer');
  if (frame.notice !== null) headers.append('Set-Cookie', clearNotice);
  return new Response(htmlOf(frame), { status, headers });
}

export function showPage(visit: Visit, { status = 200, ...shown }: Shown & { readonly status?: number }): Response {
  const { visitor, notice, siteName } = visit;
  return pageResponse({ ...shown, visitor, notice, siteName }, status);
}

/** Renders a page of a repository's content. The answer to a key, and a page with a notice, are kept nowhere. */
export async function showContentPage(visit: Visit, shown: Shown): Promise<Response> {
  const { visitor, notice, siteName } = visit;
  if (visit.isPost || notice !== null || visitor.caller.credential.kind === 'key') return showPage(visit, shown);
  return contentPage(visit, htmlOf({ ...shown, visitor, notice, siteName }), new Headers(pageHeaders));
}

/** Returns the redirect of the browser to another page after a form, with cookies to set. */
export function seeOther(location: string, ...cookies: readonly string[]): Response {
  const headers = new Headers({ Location: headerText(location), 'Cache-Control': 'no-store' });
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  return new Response(null, { status: 303, headers });
}
