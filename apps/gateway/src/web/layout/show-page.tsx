import { headerText } from '../../http/header-text.ts';
import { pageHeaders } from '../../http/web-headers.ts';
import { clearNotice } from '../http/notice.ts';
import type { Visit } from '../visit.ts';
import { Page, type Frame } from './page.tsx';

type Shown = Omit<Frame, 'visitor' | 'notice' | 'siteName'> & { readonly status?: number };

/** Renders a page as a response, and clears the cookie of the notice that the page shows. */
export function pageResponse(frame: Frame, status: number): Response {
  const headers = new Headers(pageHeaders);
  // The URL may hold the API key, which no other page needs to know.
  if (frame.visitor?.caller.credential.kind === 'key') headers.set('Referrer-Policy', 'no-referrer');
  if (frame.notice !== null) headers.append('Set-Cookie', clearNotice);
  const page: unknown = <Page {...frame} />;
  return new Response(`<!doctype html>${String(page)}`, { status, headers });
}

export function showPage(visit: Visit, { status = 200, ...shown }: Shown): Response {
  const { visitor, notice, siteName } = visit;
  return pageResponse({ ...shown, visitor, notice, siteName }, status);
}

/** Returns the redirect of the browser to another page after a form, with cookies to set. */
export function seeOther(location: string, ...cookies: readonly string[]): Response {
  const headers = new Headers({ Location: headerText(location), 'Cache-Control': 'no-store' });
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  return new Response(null, { status: 303, headers });
}
