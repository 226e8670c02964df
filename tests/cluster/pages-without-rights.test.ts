import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { createWebClient, type WebClient } from '../harness/web-client.ts';

const password = 'correct horse battery';

let cluster: Cluster;
let guest: WebClient;
let maker: WebClient;

async function signedIn(username: string): Promise<WebClient> {
  const web = createWebClient(cluster.baseUrl);
  await web.signIn(username, password);
  return web;
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('update_default_permissions', { create_repository: false, fork_repository: false });
  for (const username of ['guest', 'maker']) {
    await admin.result('create_user', { username, email: `${username}@example.com`, password });
  }
  await admin.result('grant_global_permission', { userid: 'maker', perm: 'hg.create.repository' });
  guest = await signedIn('guest');
  maker = await signedIn('maker');
}, 60_000);

afterAll(() => cluster.stop());

/** Sends a form that the page does not offer, with the CSRF token of that page. */
async function send(web: WebClient, page: string, path: string, fields: Record<string, string>) {
  const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec((await web.get(page)).text) ?? [];
  return web.post(path, { csrf_token, ...fields });
}

describe('a user who may create no repositories', () => {
  it('reads whom to ask where there are no repositories, and is offered no form', async () => {
    const { text } = await guest.get('/');
    expect(text).toContain('Ask an administrator to create a repository');
    expect(text).not.toContain('/_admin/create_repository');
    expect((await maker.get('/')).text).toContain('>Create a repository</a>');
  });

  it('is refused when the form is sent nevertheless', async () => {
    const path = '/_admin/create_repository';
    expect((await maker.submit(path, path, { repo_name: 'docs', repo_type: 'hg' })).status).toBe(303);
    const created = await send(guest, '/', path, { repo_name: 'mine', repo_type: 'hg' });
    expect((await maker.get('/docs/forks')).text).toContain('Fork this repository');
    expect((await guest.get('/docs/forks')).text).not.toContain('Fork this repository');
    const forked = await send(guest, '/', '/docs/forks', { fork_name: 'mine' });
    for (const { status, text } of [created, forked]) {
      expect(status).toBe(403);
      expect(text).toMatch(/role="alert">[^<]+/);
    }
  });
});
