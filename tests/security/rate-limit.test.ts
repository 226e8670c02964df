import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, post } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { runGit, runHg } from '../wire/vcs-cluster.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    // A rate that is low enough to allow no further call while the test runs.
    env: {
      TRUNKLINE_RATE_LIMIT: '1',
      TRUNKLINE_RATE_LIMIT_BURST: '200',
      TRUNKLINE_ANONYMOUS_VIEWING: 'true',
      TRUNKLINE_ANONYMOUS_RATE_LIMIT: '1',
      TRUNKLINE_ANONYMOUS_RATE_LIMIT_BURST: '20',
    },
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

it('B4 git and Mercurial clients without a login are refused beyond the rate of their address, and others are not', async () => {
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  for (const repo_type of ['git', 'hg']) await admin.result('create_repo', { repo_name: repo_type, repo_type });
  const refs = `${cluster.baseUrl}/git/info/refs?service=git-upload-pack`;
  const askTogether = (headers = {}) => Promise.all(Array.from({ length: 60 }, () => fetch(refs, { headers })));
  const answers = await askTogether();
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  const text = 'Too many requests without a login from your address, sign in or try again later';
  for (const answer of refused) {
    expect([answer.status, await answer.text()]).toEqual([429, `${text}\n`]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // A request that comes a second later is served: clients are slow to start on a busy machine.
  const { host } = new URL(cluster.baseUrl);
  for (const run of [
    () => runGit(tmpdir(), ['ls-remote', `http://${host}/git`]),
    () => runHg(tmpdir(), ['identify', '--id', `http://${host}/hg`]),
  ]) {
    const told = await eventually(
      async () => (await Promise.all([run(), askTogether()]))[0],
      ({ exitCode }) => exitCode !== 0,
    );
    expect(told.stderr).toContain(text);
  }
  const authorization = `Basic ${Buffer.from(`api-key:${cluster.adminKey}`).toString('base64')}`;
  for (const { status } of await askTogether({ authorization })) expect(status).toBe(200);
});
