import { expect, it } from 'vitest';
import { cluster } from '../harness/shared-cluster.ts';

it.each([
  ['GET', '/%', 404],
  ['GET', '/a//b', 404],
  ['GET', '/%00', 404],
  ['PUT', '/', 405],
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
