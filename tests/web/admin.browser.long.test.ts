import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { eventually } from '../harness/eventually.ts';
import { startGateProxy, type GateProxy } from '../harness/gate-proxy.ts';
import { looks } from '../harness/looks.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { screenshot } from '../harness/screenshot.ts';
import { signInPage } from '../harness/sign-in-page.ts';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { makeVisitor, password } from '../harness/web-visitor.ts';

const hostile = '"><script>alert(1)</script>\u202e';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
});
afterAll(() => browser.close());

describe('an administrator', () => {
  it.each([true, false])('creates a user and excludes an address, with scripts: %s', async (javaScriptEnabled) => {
    const boss = await makeUser({ password, admin: true });
    const page = await browser.newPage({ javaScriptEnabled });
    await signInPage(page, boss.username, password);
    const username = uniqueName('made');
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('link', { name: 'New user' }).click();
    await page.getByLabel(/^Username/).fill(username);
    await page.getByLabel('First name').fill(hostile);
    await page.getByLabel('E-mail address').fill(`${username}@example.com`);
    await page.getByLabel(/^Password/).fill(password);
    await page.getByRole('button', { name: 'Create user' }).click();
    expect(await page.getByRole('status').textContent()).toBe(`The user ${username} is created.`);
    expect(await page.getByLabel('First name').inputValue()).toBe(hostile);

    const user = await browser.newPage({ javaScriptEnabled });
    await signInPage(user, username, password);
    expect((await user.goto('/_admin/my_account'))?.status()).toBe(200);

    await page.getByRole('main').getByRole('link', { name: 'IP restrictions' }).last().click();
    await page.getByLabel('Address or network').fill('192.0.2.0/24');
    await page.getByRole('button', { name: 'Add' }).click();
    expect(await page.getByRole('status').textContent()).toBe('192.0.2.0/24 is added.');
    const status = async () => (await user.goto('/_admin/my_account'))?.status();
    expect(await eventually(status, (code) => code !== 200)).toBe(403);
    expect(await user.getByRole('main').textContent()).toContain('not allowed');

    await page.getByRole('button', { name: 'Remove 192.0.2.0/24' }).click();
    expect(await eventually(status, (code) => code !== 403)).toBe(200);

    await page.getByRole('link', { name: 'Delete', exact: true }).click();
    await page.getByLabel(`Yes, delete ${username}`).check();
    await page.getByRole('button', { name: 'Delete this user' }).click();
    expect(await page.getByRole('status').textContent()).toBe(`The user ${username} is deleted.`);
    expect(await admin.result('get_user', { userid: username })).toBeNull();
  });
});

describe('an import that takes long', () => {
  let remote: Remote;
  let gate: GateProxy;
  let paths: Record<string, string>;
  let operationId: string;
  let creating: Promise<unknown>;

  beforeAll(async () => {
    remote = await makeRemote.git();
    const files = Array.from({ length: 200 }, (_, at) => [`file${at}`, randomBytes(4_000).toString('latin1')]);
    await remote.commit(Object.fromEntries(files));
    gate = await startGateProxy(remote.url);
    gate.open(200_000);
    const repo_name = uniqueName('slow');
    creating = admin.call('create_repo', { repo_name, repo_type: 'git', clone_uri: gate.url });
    const running = await eventually(
      () => {
        gate.open(5_000);
        return admin.result<{ operation_id: string; repo_name: string; progress: { done: number } | null }[]>(
          'list_operations',
          { state: 'running' },
        );
      },
      (operations) => operations.some(({ repo_name: name, progress }) => name === repo_name && progress),
    );
    operationId = running.find(({ repo_name: name }) => name === repo_name)?.operation_id ?? '';

    const [gone, moved] = [uniqueName('gone'), uniqueName('moved')];
    for (const name of [gone, moved]) await admin.result('create_repo', { repo_name: name, repo_type: 'git' });
    await admin.result('delete_repo', { repoid: gone });
    await admin.result('update_repo', { repoid: moved, name: `${moved}-elsewhere` });
    await admin.error('create_repo', { repo_name: gone, repo_type: 'git', clone_uri: 'http://127.0.0.1:1/none' });

    const user = await makeVisitor({ firstname: 'Ann', lastname: 'Example' });
    const email = `${'long.'.repeat(20)}${user.username}@example.com`;
    await admin.result('add_user_email', { userid: user.id, email });
    await admin.result('create_api_key', { userid: user.id, description: hostile.repeat(3), lifetime: 5 });
    await admin.result('add_user_ip', { userid: user.id, ip: '127.0.0.0/8' });
    await admin.result('add_user_ip', { userid: user.id, ip: '2001:db8::/32' });
    await makeUser({ firstname: hostile, lastname: 'x'.repeat(255), active: false });
    const team = uniqueName('team');
    const { users_group: userGroup } = await admin.result<{ users_group: { users_group_id: number } }>(
      'create_user_group',
      { group_name: team },
    );
    await admin.result('update_user_group', { usersgroupid: team, description: 'Who builds what we sell. '.repeat(4) });
    await admin.result('add_user_to_user_group', { usersgroupid: team, userid: user.id });
    const { repo_group: repoGroup } = await admin.result<{ repo_group: { group_id: number } }>('create_repo_group', {
      group_name: `${uniqueName('group')}-${'long-name-'.repeat(8)}end`,
      description: 'Where the guides are kept.',
    });
    const repogroupid = repoGroup.group_id;
    await admin.result('grant_user_permission_to_repo_group', { repogroupid, userid: user.id, perm: 'group.write' });
    await admin.result('grant_user_group_permission_to_repo_group', {
      repogroupid,
      usersgroupid: team,
      perm: 'group.read',
    });
    const [ofUser, ofTeam, ofGroup] = [
      `users/${user.id}/edit`,
      `user_groups/${userGroup.users_group_id}/edit`,
      `repo_groups/${repogroupid}/edit`,
    ];
    paths = {
      users: 'users',
      'users-none': 'users?filter=zzzz',
      'user-new': 'users/new',
      user: ofUser,
      'user-emails': `${ofUser}/emails`,
      'user-keys': `${ofUser}/api_keys`,
      'user-ips': `${ofUser}/ips`,
      'user-perms': `${ofUser}/perms?q=zz`,
      'user-groups': `${ofUser}/groups`,
      'user-delete': `${ofUser}/advanced`,
      teams: 'user_groups',
      'team-new': 'user_groups/new',
      team: ofTeam,
      'team-members': `${ofTeam}/members`,
      'team-perms': `${ofTeam}/perms`,
      'team-delete': `${ofTeam}/advanced`,
      groups: 'repo_groups',
      'group-new': 'repo_groups/new',
      group: ofGroup,
      'group-perms': `${ofGroup}/perms`,
      'group-delete': `${ofGroup}/advanced`,
      permissions: 'permissions',
      ips: 'permissions/ips',
      deleted: 'deleted',
      operations: 'operations?refresh=off',
      cancel: `operations/${operationId}/cancel`,
      audit: 'audit_log',
      consistency: 'consistency',
      cluster: 'cluster?refresh=off',
      server: 'server',
    };
  }, 60_000);

  afterAll(async () => {
    await admin.result('cancel_operation', { operation_id: operationId });
    await gate.close();
    await creating;
    await remote.close();
  });

  it.each(looks)(
    '%s at %i pixels, nothing is wrong with any page',
    async (colorScheme, width) => {
      const boss = await makeUser({ password, admin: true });
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      await signInPage(page, boss.username, password);
      for (const [title, path] of Object.entries(paths)) {
        // Lets the remote send a little: a remote that sends nothing is given up.
        gate.open(4_000);
        await page.goto(`/_admin/${path}`);
        await screenshot(page, `admin-${title}-${colorScheme}-${width}`);
        expect([title, await axeViolations(page)]).toEqual([title, []]);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
        expect([title, overflow]).toEqual([title, 0]);
      }
    },
    400_000,
  );
});
