import { expect, it } from 'vitest';
import { cluster } from '../harness/shared-cluster.ts';
import { createWebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

it.each([
  ['GET', '/%', 404],
  ['GET', '/%00', 404],
  ['PUT', '/%', 404],
  ['PUT', '/', 405],
  ['PUT', '/_admin/login', 405],
  ['DELETE', '/_admin/assets/icon.svg', 405],
  ['PUT', '/may-be-a-repository', 405],
  ['DELETE', '/_admin/users', 405],
])('%s %s is refused under the same headers as any page', async (method, path, status) => {
  const answer = await fetch(`${cluster.baseUrl}${path}`, { method });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, POST' : null);
});

it.each([
  ['GET', '/a//b?x=//y', 301, '/a/b?x=//y'],
  ['HEAD', '//_admin/users', 301, '/_admin/users'],
  ['GET', '//healthz', 301, '/healthz'],
  ['GET', '//_admin/api', 301, '/_admin/api'],
  ['POST', '/_admin//api', 308, '/_admin/api'],
  ['DELETE', '//_admin/api', 308, '/_admin/api'],
  ['GET', '//evil.example/', 301, '/evil.example/'],
  ['GET', '///evil.example//', 301, '/evil.example/'],
  ['GET', '//%5Cevil.example/', 301, '/%5Cevil.example/'],
])(
  'A10 %s %s is redirected to the address with single slashes, of this host alone',
  async (method, path, status, to) => {
    const sent = await fetch(`${cluster.baseUrl}${path}`, { method, redirect: 'manual' });
    expect([sent.status, sent.headers.get('location')]).toEqual([status, to]);
    expect(sent.headers.get('cache-control')).toBe('no-store');
    expect(sent.headers.get('x-request-id')).not.toBeNull();
  },
);

it('an unknown address below /_admin is a page with an error, and with the heading of the signed-in user', async () => {
  const { web, username } = await makeVisitor();
  const path = '/_admin/no/such';
  const shown = await web.get(path);
  expect(shown.status).toBe(404);
  expect(shown.text).toContain('There is nothing at this address.');
  expect(shown.text).toContain(username);
  const unsigned = await createWebClient(cluster.baseUrl).get(path);
  expect(unsigned.status).toBe(404);
  expect(unsigned.text).toContain('There is nothing at this address.');
  expect(unsigned.text).toContain('href="/_admin/login"');
});
