import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openWorkerAsker } from '../harness/ask-worker.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { startGateProxy } from '../harness/gate-proxy.ts';
import { makeRemote } from '../harness/remotes.ts';
import { createWebClient, type WebClient } from '../harness/web-client.ts';

const hostile = '"><script>alert(1)</script>';

let cluster: Cluster;
let admin: Client;
let web: WebClient;

beforeAll(async () => {
  const env = { TRUNKLINE_TRUSTED_PROXIES: '127.0.0.0/8' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com', password: 'correct horse battery' });
  web = createWebClient(cluster.baseUrl);
  await web.signIn('admin', 'secret of the first administrator');
});
afterAll(() => cluster.kill());

describe('views of the administration pages', () => {
  it.each([
    ['browse_users', {}],
    ['view_user', { userid: 'ann' }],
    ['view_stored_size', { userid: 1 }],
    ['browse_user_groups', {}],
    ['view_user_group', { usersgroupid: 1 }],
    ['browse_repo_groups', {}],
    ['view_global_grants', { userid: 'ann' }],
    ['list_repository_names', { ids: [1] }],
    ['list_stranded_operations', { ids: [randomUUID()] }],
  ] as const)('%s is told to administrators only', async (name, args) => {
    const asker = await openWorkerAsker(cluster);
    const asked = [await asker.as('ann'), await asker.as(null)].map(async (as) => as.call(name, args));
    const answers = await Promise.allSettled(asked);
    await asker.close();
    expect(answers.map((answer) => answer.status === 'rejected' && String(answer.reason))).toEqual([
      expect.stringContaining('Access was denied'),
      expect.stringContaining('Access was denied'),
    ]);
  });
});

describe('default permissions', () => {
  const path = '/_admin/permissions';
  const fields = {
    repository: 'repository.write',
    group: 'group.none',
    usergroup: 'usergroup.read',
    fork_repository: 'true',
  };

  it('are set to the values of the form, and only those that the form has', async () => {
    await admin.result('create_repo', { repo_name: 'before', repo_type: 'git' });
    const levels = async () => {
      const { members } = await admin.result<{ members: { username?: string; permission: string }[] }>('get_repo', {
        repoid: 'before',
      });
      return members.filter(({ username }) => username === 'default').map(({ permission }) => permission);
    };
    expect((await web.submit(path, path, fields)).status).toBe(303);
    expect(await admin.result('get_default_permissions')).toEqual({
      ...fields,
      create_repository: false,
      fork_repository: true,
      register: 'hg.register.manual_activate',
    });
    expect(await levels()).toEqual(['repository.read']);
    expect((await web.submit(path, path, { ...fields, overwrite_repositories: 'true' })).status).toBe(303);
    expect(await levels()).toEqual(['repository.write']);
    const page = await web.get(path);
    expect(page.text).toMatch(/<option value="repository.write" selected="">/);
    expect(page.text).not.toMatch(/name="create_repository" checked/);
    // Nobody registers here: users are created by administrators.
    expect(page.text).not.toContain('register');
  });

  it('are not changed to unknown values, and the form keeps what was entered', async () => {
    const before = await admin.result('get_default_permissions');
    const sent = { ...fields, group: 'group.admin', usergroup: hostile, create_repository: 'true' };
    const page = await web.submit(path, path, sent);
    expect([page.status, page.text.includes('role="alert"'), page.text.includes('<script>')]).toEqual([
      404,
      true,
      false,
    ]);
    expect(page.text).toMatch(/<option value="group.admin" selected="">/);
    expect(page.text).toMatch(/name="create_repository" checked/);
    expect(await admin.result('get_default_permissions')).toEqual(before);
  });
});

describe('networks for everybody', () => {
  const path = '/_admin/permissions/ips';
  const networks = async () => {
    const { user_ips: ranges } = await admin.result<{ user_ips: { ip_addr: string }[] }>('get_ip', {
      userid: 'default',
    });
    return ranges.map(({ ip_addr: network }) => network);
  };
  const confirmation = 'Yes, exclude my address';

  beforeEach(async () => {
    const { ip_addresses: own } = await admin.result<{ ip_addresses: string[] }>('get_user', { userid: 'admin' });
    for (const ip of await networks()) await admin.result('remove_user_ip', { userid: 'default', ip });
    for (const ip of own) await admin.result('remove_user_ip', { userid: 'admin', ip });
  });

  it('are added and removed without confirmation when they contain the visitor', async () => {
    expect((await web.get(path)).text).toContain('Your address is <strong>127.0.0.1</strong>');
    expect((await web.submit(path, path, { new_ip: '127.0.0.0/8' })).status).toBe(303);
    expect((await web.submit(path, path, { new_ip: '192.0.2.0/24' })).status).toBe(303);
    expect(await networks()).toEqual(['127.0.0.0/8', '192.0.2.0/24']);
    expect((await web.submit(path, path, { del_ip_id: '192.0.2.0/24' })).status).toBe(303);
    expect(await networks()).toEqual(['127.0.0.0/8']);
  });

  it('that exclude the visitor need a confirmation', async () => {
    await admin.result('add_user_ip', { userid: 'admin', ip: '127.0.0.1' });
    const asked = await web.submit(path, path, { new_ip: '192.0.2.0/24' });
    expect([asked.status, asked.text.includes(confirmation)]).toEqual([409, true]);
    expect(asked.text).toContain('<input type="hidden" name="new_ip" value="192.0.2.0/24"/>');
    expect(await networks()).toEqual([]);
    expect((await web.submit(path, path, { new_ip: '192.0.2.0/24', confirmed: 'true' })).status).toBe(303);
    expect(await networks()).toEqual(['192.0.2.0/24']);
  });

  it('apply to every user without own networks, in pages and in the API', async () => {
    const ann = createWebClient(cluster.baseUrl);
    await ann.signIn('ann', 'correct horse battery');
    await admin.result('add_user_ip', { userid: 'admin', ip: '127.0.0.1' });
    await web.submit(path, path, { new_ip: '192.0.2.0/24', confirmed: 'true' });
    const statuses = () =>
      Promise.all(
        ['127.0.0.1', '192.0.2.7', '198.51.100.1'].map(
          async (from) => (await ann.get('/_admin/my_account', { 'x-forwarded-for': from })).status,
        ),
      );
    expect(await eventually(statuses, ([here]) => here !== 200)).toEqual([403, 200, 403]);
  });

  it('that would lock the visitor out for good are refused, also when confirmed', async () => {
    const sent = await web.submit(path, path, { new_ip: '192.0.2.0/24', confirmed: 'true' });
    expect(sent.status).toBe(409);
    expect(sent.text).toContain('this would shut out the address');
    expect(sent.text).toContain('name="new_ip" value="192.0.2.0/24"');
    expect(sent.text).not.toContain(confirmation);
    expect(await networks()).toEqual([]);
  });

  it.each([hostile, '', '10.0.0.0/33'])('refuses %j as a network', async (new_ip) => {
    const sent = await web.submit(path, path, { new_ip, confirmed: 'true' });
    expect([sent.status, sent.text.includes('<script>')]).toEqual([400, false]);
  });
});

describe('operations', () => {
  const path = '/_admin/operations';

  it('are shown while they run, and cancelled when that is confirmed', async () => {
    const remote = await makeRemote.git();
    const files = Array.from({ length: 100 }, (_, at) => [`file${at}`, randomBytes(4_000).toString('latin1')]);
    await remote.commit(Object.fromEntries(files));
    const gate = await startGateProxy(remote.url);
    gate.open(200_000);
    const creating = admin.call('create_repo', { repo_name: 'slow', repo_type: 'git', clone_uri: gate.url });
    const running = () => web.get(`${path}?state=running&userid=admin`);
    const page = await eventually(running, ({ text }) => text.includes('/cancel"'));
    expect(page.headers.get('refresh')).toBe('5');
    expect(page.text).toContain('slow');
    expect((await web.get(`${path}?refresh=off`)).headers.get('refresh')).toBeNull();
    const step = () => {
      gate.open(10_000);
      return running();
    };
    const seen = await eventually(step, ({ text }) => text.includes('<progress'));
    expect(seen.text).toContain('receiving objects');

    const [, cancel = ''] = /<a href="([^"]+\/cancel)">/.exec(page.text) ?? [];
    const { text: question } = await web.get(cancel);
    expect(question).toContain('The repository is removed, with the groups that were made for it.');
    expect(question).toContain('Cancel this operation');
    const sent = await web.submit(cancel, cancel, {});
    expect([sent.status, sent.headers.get('location')]).toEqual([303, path]);
    await gate.close();
    await creating;
    const ended = await eventually(
      () => web.get(`${path}?state=failed`),
      ({ text }) => text.includes('slow'),
    );
    expect(ended.headers.get('refresh')).toBeNull();
    expect((await web.get(cancel)).text).toContain('This operation has ended.');
    await remote.close();
  });

  it('show a start that failed at once, with the reason', async () => {
    const args = { repo_name: `away/${hostile}`, repo_type: 'git', clone_uri: 'http://127.0.0.1:1/x' };
    await admin.error('create_repo', args);
    const text = await admin.error('create_repo', { ...args, repo_name: 'away' });
    expect(text).toBe('failed to create repository `away`: unreachable');
    for (const query of ['', '?state=failed', '?userid=admin']) {
      const page = await web.get(`${path}${query}`);
      expect(page.text).toContain('<strong>create_repo</strong><span>away</span>');
      expect(page.text).toContain('failed to create repository <code>away</code>: unreachable');
      expect(page.text).not.toContain('<script>');
    }
    expect((await web.get(`${path}?state=done`)).text).not.toContain('unreachable');
  });

  it('show the name of a deleted or renamed repository, without a link to another repository', async () => {
    for (const repo_name of ['kept', 'moved', 'gone', 'reused']) {
      await admin.result('create_repo', { repo_name, repo_type: 'git' });
    }
    await admin.result('update_repo', { repoid: 'moved', name: 'elsewhere' });
    for (const repoid of ['gone', 'reused']) await admin.result('delete_repo', { repoid });
    for (const repo_name of ['reused', 'moved']) await admin.result('create_repo', { repo_name, repo_type: 'hg' });
    const { text } = await web.get(path);
    const titles = [...text.matchAll(/<div class="title"><strong>(\w+)<\/strong>(.*?)<span class="badge/g)];
    expect(titles.slice(0, 8).map(([, kind, name]) => [kind, name])).toEqual([
      ['create', '<a href="/moved">moved</a>'],
      ['create', '<a href="/reused">reused</a>'],
      ['delete', '<span>reused</span>'],
      ['delete', '<span>gone</span>'],
      ['create', '<span>reused</span>'],
      ['create', '<span>gone</span>'],
      ['create', '<span>moved, now <a href="/elsewhere">elsewhere</a></span>'],
      ['create', '<a href="/kept">kept</a>'],
    ]);
    const links = titles.flatMap(([, , name = '']) => /href="([^"]*)"/.exec(name)?.[1] ?? []);
    for (const link of links) expect([link, (await web.get(link)).status]).toEqual([link, 200]);
  });

  it.each([
    ['state=gone', 400],
    [`userid=${encodeURIComponent(hostile)}`, 404],
    ['cursor=none', 404],
  ])('%s is refused', async (query, status) => {
    const page = await web.get(`${path}?${query}`);
    expect([page.status, page.text.includes('role="alert"'), page.text.includes('<script>')]).toEqual([
      status,
      true,
      false,
    ]);
  });
});

describe('the audit log', () => {
  const path = '/_admin/audit_log';

  it('shows user, method and address of each call, and filters by them', async () => {
    await admin.result('create_user', { username: 'bob', email: 'bob@example.com', firstname: hostile });
    const { text } = await web.get(`${path}?method=create_user&outcome=succeeded&userid=admin`);
    expect(text).toContain('bob@example.com');
    expect(text).toContain('from 127.0.0.1');
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('create_repo</code>');
    expect((await web.get(`${path}?end_date=2001-01-01`)).text).toContain('No entries found.');
  });

  it('is split into pages', async () => {
    for (let at = 0; at < 101; at += 1) await admin.result('update_user', { userid: 'bob', lastname: `Number ${at}.` });
    const first = await web.get(`${path}?method=update_user`);
    const next = /<a href="([^"]+)" rel="next">/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await web.get(next);
    expect([first, second].map(({ text }) => text.match(/Number \d+\./g)?.length)).toEqual([100, 1]);
    expect(second.text).toContain('Number 0.');
  });

  it.each([
    ['start_date=soon', 400],
    ['outcome=odd', 400],
    [`userid=${encodeURIComponent(hostile)}`, 404],
    ['cursor=x', 400],
  ])('%s is refused', async (query, status) => {
    const page = await web.get(`${path}?${query}`);
    expect([page.status, page.text.includes('role="alert"'), page.text.includes('<script>')]).toEqual([
      status,
      true,
      false,
    ]);
  });
});
