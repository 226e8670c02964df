import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { contentPage } from './content-page.ts';

const csrfToken = randomBytes(32).toString('base64url');
const page = `<p>${'words of a page '.repeat(300)}<input value="${csrfToken}">`;

function ask(headers: Record<string, string>, { url = '/group/name/files/tip', isSignedIn = true } = {}) {
  const session = isSignedIn
    ? { sessionId: 1, userId: 1, username: 'ann', admin: false, csrfToken, csrfHmacs: [] }
    : null;
  const caller = { userId: 1, ip: '::1', credential: { kind: 'session', id: 1 } } as const;
  const incoming = { method: 'GET', url, headers: { 'accept-encoding': 'gzip, br', ...headers } };
  return contentPage(
    { http: { incoming }, visitor: { caller, admin: false, session } },
    page,
    new Headers({ 'Content-Security-Policy': "default-src 'none'" }),
  );
}

it('is kept by browsers, asked for each time, and not sent again to who has it', async () => {
  const { status, headers } = await ask({});
  expect([status, headers.get('cache-control'), headers.get('vary')]).toEqual([
    200,
    'private, no-cache',
    'Accept-Encoding',
  ]);
  const tag = headers.get('etag') ?? '';
  expect(tag).toMatch(/^W\/"[\w-]{43}"$/);
  const unchanged = await ask({ 'if-none-match': `"other", ${tag}` });
  expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', tag]);
  expect(unchanged.headers.get('content-security-policy')).toBe("default-src 'none'");
  expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
});

it('is compressed, but for the token of its forms', async () => {
  const answer = await ask({});
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(gunzipSync(bytes).toString()).toBe(page);
  expect([bytes.length < 300, bytes.includes(csrfToken)]).toEqual([true, true]);
});

it.each([
  ['a client that does not take it', { 'accept-encoding': 'br' }, {}],
  ['an address with a query, which others may have written', {}, { url: '/group/name/files/tip?x=1' }],
])('is not compressed for %s', async (_, headers, asked) => {
  const answer = await ask(headers, asked);
  expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual([null, page]);
});

it('is compressed for visitors without a session, whatever its address', async () => {
  const answer = await ask({}, { url: '/group/name/files/tip?x=1', isSignedIn: false });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
});
