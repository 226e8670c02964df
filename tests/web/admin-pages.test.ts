import { describe, expect, it } from 'vitest';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { createWebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const user = await makeUser();
const { users_group: userGroup } = await admin.result<{ users_group: { users_group_id: number } }>(
  'create_user_group',
  { group_name: uniqueName('team') },
);
const { repo_group: repoGroup } = await admin.result<{ repo_group: { group_id: number } }>('create_repo_group', {
  group_name: uniqueName('group'),
});
const ofUser = `users/${user.id}/edit`;
const ofUserGroup = `user_groups/${userGroup.users_group_id}/edit`;
const ofRepoGroup = `repo_groups/${repoGroup.group_id}/edit`;

const pages = [
  'users',
  'users/new',
  ...['', '/emails', '/api_keys', '/ips', '/perms', '/groups', '/advanced'].map((part) => `${ofUser}${part}`),
  'user_groups',
  'user_groups/new',
  ...['', '/members', '/perms', '/advanced'].map((part) => `${ofUserGroup}${part}`),
  'repo_groups',
  'repo_groups/new',
  ...['', '/perms', '/advanced'].map((part) => `${ofRepoGroup}${part}`),
  'permissions',
  'permissions/ips',
  'deleted',
  'operations',
  'audit_log',
  'consistency',
  'storages',
  'cluster',
  'server',
].map((path) => `/_admin/${path}`);

const withoutForm = ['users', 'user_groups', 'repo_groups', 'operations', 'audit_log', 'cluster', 'server'].map(
  (path) => `/_admin/${path}`,
);

const nobody = createWebClient(cluster.baseUrl);
const somebody = await makeVisitor();
const boss = await makeVisitor({ admin: true });

describe('pages of the administration', () => {
  it.each(pages)('%s is for administrators only', async (path) => {
    const { status, headers } = await nobody.get(path);
    expect([status, headers.get('location')]).toEqual([302, `/_admin/login?came_from=${encodeURIComponent(path)}`]);
    expect((await somebody.web.get(path)).status).toBe(403);
    expect((await nobody.get(`${path}?api_key=${boss.client.apiKey}`)).status).toBe(403);
    const page = await boss.web.get(path);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page.text.match(/<h1>/g)).toHaveLength(1);
    expect(page.text).toMatch(/<nav class="sidebar" aria-label="Administration">.*aria-current="page"/);
  });

  it.each(pages)('a form that another user sends to %s is refused', async (path) => {
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(
      (await somebody.web.get('/_admin/my_account')).text,
    )?.[1];
    const { status } = await somebody.web.post(path, { csrf_token: csrf_token ?? '', confirmed: 'true' });
    expect(status).toBe(withoutForm.includes(path) ? 400 : 403);
  });

  it('a form without its CSRF token is refused', async () => {
    const sent = await boss.web.post(`/_admin/${ofUser}/advanced`, { confirmed: 'true', csrf_token: 'x'.repeat(40) });
    expect(sent.status).toBe(400);
    expect(await admin.result('get_user', { userid: user.id })).toMatchObject({ username: user.username });
  });

  it.each(['/_admin', '/_admin/'])(
    '%s redirects administrators to the users, and others to the first page',
    async (path) => {
      const leads = await Promise.all([boss.web, somebody.web].map((web) => web.get(path)));
      expect(leads.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
        [302, '/_admin/users'],
        [302, '/'],
      ]);
    },
  );

  it.each(['users', 'user_groups', 'repo_groups'])('%s that do not exist are answered with 404', async (kind) => {
    const found = await Promise.all(
      ['2147483647', '9999999999', 'admin', '0'].map((id) => boss.web.get(`/_admin/${kind}/${id}/edit`)),
    );
    expect(found.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('show the running versions', async () => {
    const { text } = await boss.web.get('/_admin/server');
    const { hg_version: version } = await admin.result<{ hg_version: string }>('get_server_info');
    expect(text).toContain(`<dt>Mercurial</dt><dd>${version}</dd>`);
  });
});
