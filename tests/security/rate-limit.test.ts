import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, post } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    // A rate that is low enough to allow no further call while the test runs.
    env: { TRUNKLINE_RATE_LIMIT: '1', TRUNKLINE_RATE_LIMIT_BURST: '200' },
  });
});
afterAll(() => cluster.stop());

it('B4 a key with too many calls is refused, in the envelope and in views; other keys are not', async () => {
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  const body = JSON.stringify({ id: 1, api_key, method: 'get_user', args: {} });
  const replies = await Promise.all(Array.from({ length: 400 }, () => post(cluster.baseUrl, body)));
  const refused = replies.filter(({ text }) => text.includes('"result":null'));
  expect(refused.length).toBeGreaterThan(0);
  expect(replies.length - refused.length).toBeGreaterThanOrEqual(200);
  for (const { status, headers, text } of refused) {
    expect({ status, text, after: Number(headers.get('retry-after')) }).toEqual({
      status: 200,
      text: '{"id":1,"result":null,"error":"Service is busy, try again later"}',
      after: expect.any(Number),
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const view = `${cluster.baseUrl}/_admin/journal/rss`;
  const views = await Promise.all(
    Array.from({ length: 20 }, () => fetch(view, { headers: { Authorization: `Bearer ${api_key}` } })),
  );
  const [limited] = views.filter(({ status }) => status === 429);
  expect(await limited?.text()).toBe('Service is busy, try again later\n');
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await admin.call('get_user')).toMatchObject({ error: null });
});
