import { Hono } from 'hono';
import { expect, it, vi } from 'vitest';
import { createApp } from './app.ts';
import type { PageEnvironment } from '../web/web-context.ts';

it('an unexpected error is logged, and answered without any detail', async () => {
  const web = new Hono<PageEnvironment>();
  const error = new Error('secret');
  web.get('/', () => {
    throw error;
  });
  const report = vi.fn();
  const app = createApp({
    endpoint: () => {},
    vcs: (_c, next) => next(),
    web,
    readiness: async () => ({ missing: [], lanes: [], unserved: [] }),
    isStopping: () => false,
    report,
  });
  const answer = await app.request('/');
  expect([answer.status, await answer.text()]).toEqual([500, 'Internal server error']);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(report).toHaveBeenCalledWith(error);
});
