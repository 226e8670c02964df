import { parse } from 'hono/utils/cookie';
import { formsOf } from './page-forms.ts';

export interface WebAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
}

/** An HTTP client that keeps cookies and fills in forms like a browser, but follows no redirect. */
export interface WebClient {
  get(path: string, headers?: Record<string, string>): Promise<WebAnswer>;
  /** Sends the form with the action `path` on the page `from`: its hidden fields and these. */
  submit(from: string, path: string, fields: Record<string, string>): Promise<WebAnswer>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<WebAnswer>;
  signIn(username: string, password: string): Promise<WebAnswer>;
  readonly cookies: ReadonlyMap<string, string>;
}

/** Returns the hidden fields of the form with this action; throws when the page has no such form. */
function hiddenFields(page: string, action: string): Record<string, string> {
  const form = formsOf(page).find((one) => one.action === action);
  if (form === undefined) throw new Error(`no form with the action ${action}`);
  return Object.fromEntries(
    form.fields.filter(({ isHidden }) => isHidden).map(({ name, values }) => [name, values[0]]),
  );
}

export function createWebClient(baseUrl: string): WebClient {
  const cookies = new Map<string, string>();

  const keepCookies = (headers: Headers) => {
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = Object.entries(parse(pair))[0] ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
  };

  const send = async (path: string, init: RequestInit): Promise<WebAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ');
    const headers = { ...(cookie && { cookie }), ...Object.fromEntries(new Headers(init.headers)) };
    const response = await fetch(new URL(path, baseUrl), { ...init, headers, redirect: 'manual' });
    keepCookies(response.headers);
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString('utf8') };
  };

  const post: WebClient['post'] = (path, fields, headers = {}) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields), headers });

  return {
    cookies,
    post,
    get: (path, headers = {}) => send(path, { headers }),
    async submit(from, path, fields) {
      const page = await send(from, {});
      const { pathname, search } = new URL(path, baseUrl);
      return post(path, { ...hiddenFields(page.text, pathname + search), ...fields });
    },
    signIn: (username, password) => post('/_admin/login', { username, password }),
  };
}
