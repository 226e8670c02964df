import { Hono } from 'hono';
import { expect, it, vi } from 'vitest';
import { createApp } from './app.ts';
import type { PageEnvironment } from '../web/web-context.ts';

const tools = {
  endpoint: () => new Response('endpoint'),
  vcs: (_c: unknown, next: () => Promise<void>) => next(),
  readiness: async () => ({ missing: [], lanes: [], unserved: [] }),
  isStopping: () => false,
  report: () => {},
};

it('an unexpected error is logged, and answered without any detail', async () => {
  const web = new Hono<PageEnvironment>();
  const error = new Error('secret');
  web.get('/', () => {
    throw error;
  });
  const report = vi.fn();
  const app = createApp({ ...tools, web, report });
  const answer = await app.request('/');
  expect([answer.status, await answer.text()]).toEqual([500, 'Internal server error']);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(report).toHaveBeenCalledWith(error);
});

it.each([
  ['POST', '/_admin/api', 'endpoint'],
  ['POST', '//_admin/api', 'endpoint'],
  ['GET', '//_admin/api', '404 Not Found'],
  ['POST', '///_admin/api', '404 Not Found'],
  ['POST', '/_admin//api', '404 Not Found'],
])('A10 %s %s is answered by: %s', async (method, path, expected) => {
  const app = createApp({ ...tools, web: new Hono<PageEnvironment>() });
  expect(await (await app.request(`http://host${path}`, { method })).text()).toBe(expected);
});
