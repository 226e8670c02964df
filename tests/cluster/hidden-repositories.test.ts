import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { createWebClient, type WebAnswer, type WebClient } from '../harness/web-client.ts';

const password = 'correct horse battery';
const hidden = 'secret';
const missing = 'nobody';

let cluster: Cluster;
let user: WebClient;
let anybody: WebClient;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_ANONYMOUS_VIEWING: 'true' },
  });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'reader', email: 'reader@example.com', password });
  await admin.result('create_repo', { repo_name: hidden, repo_type: 'git', private: true });
  user = createWebClient(cluster.baseUrl);
  anybody = createWebClient(cluster.baseUrl);
  await user.signIn('reader', password);
}, 60_000);

afterAll(() => cluster.stop());

/** Returns the response with the requested name replaced by NAME. */
function comparable({ status, headers, text }: WebAnswer, name: string) {
  return [status, headers.get('location'), text].map((one) => String(one).replaceAll(name, 'NAME'));
}

const addresses = [
  '',
  '?cursor=%00',
  `?filter=${'x'.repeat(256)}`,
  `/${'x'.repeat(256)}`,
  '/nonsense',
  '/summary',
  '/changelog?cursor=x',
  '/compare',
  '/compare/a...b?cursor=x',
  '/followers',
  '/forks?cursor=%00',
  '/branches',
  '/files/tip/x',
  '/raw/tip',
  '/raw/tip/x',
  '/archive',
  '/archive/tip.foo',
  '/archive/tip.zip',
  '/changeset/tip?context=x',
  '/changeset-diff/tip?context=x',
  '/changeset-diff/a...b',
  '/feed/rss',
  '/settings',
  '/settings/delete',
  '/settings/permissions',
  '/settings/branch',
  '/settings/maintenance',
];

it.each(addresses)('B10 a hidden repository is answered like a missing one at %s', async (address) => {
  for (const web of [user, anybody]) {
    const [there, nowhere] = [await web.get(`/${hidden}${address}`), await web.get(`/${missing}${address}`)];
    expect(comparable(there, hidden)).toEqual(comparable(nowhere, missing));
    expect(there.status).not.toBe(200);
  }
});

it.each(addresses)('B10 a hidden repository refuses a form like a missing one at %s', async (address) => {
  const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec((await user.get('/')).text) ?? [];
  for (const web of [user, anybody]) {
    const send = (name: string) => web.post(`/${name}${address}`, { csrf_token, act: 'lock', fork_name: 'mine' });
    expect(comparable(await send(hidden), hidden)).toEqual(comparable(await send(missing), missing));
  }
});
