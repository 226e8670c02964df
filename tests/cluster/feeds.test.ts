import type { ActivityRecord } from '@trunkline/contracts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { askingViews } from '../harness/ask-view.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeGitRemote, makeHgRemote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

const baseUrl = 'https://code.example.com';
const denied = 'Access was denied to this resource.';

let cluster: Cluster;
let admin: Client;
let views: Awaited<ReturnType<typeof askingViews>>;

beforeAll(async () => {
  const env = { TRUNKLINE_SITE_NAME: 'Work & Co', TRUNKLINE_RSS_ITEMS: '2' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  views = await askingViews(cluster);
  await makeUser('ann');
});
afterAll(async () => {
  await views.close();
  await cluster.stop();
});

async function makeUser(username: string): Promise<Client> {
  const names = { firstname: 'First', lastname: username };
  await admin.result('create_user', { username, email: `${username}@example.com`, ...names });
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: username });
  return createClient(cluster.baseUrl, key);
}

const feedOf = (username: string, repoid: string, format = 'rss') =>
  views.ask(username, 'repository_feed', { repoid, format, base_url: baseUrl });

async function activityOf(username: string, kind = 'own', page: object = {}): Promise<ActivityRecord[]> {
  return JSON.parse(await views.ask(username, 'get_journal', { kind, ...page }));
}

const told = async (username: string, kind = 'own') =>
  (await activityOf(username, kind)).map(({ actor_name, action, repo_name }) => `${actor_name} ${action} ${repo_name}`);

describe.each(['hg', 'git'] as const)('the feed of a repository, %s', (type) => {
  it('has the newest changesets, also after bytes or name have changed', async () => {
    const remote = await (type === 'hg' ? makeHgRemote() : makeGitRemote());
    try {
      const first = await remote.commit({ [someFile]: '1' }, 'first');
      await admin.result('create_repo', { repo_name: `lib-${type}`, repo_type: type, clone_uri: remote.url });
      const feed = await feedOf('admin', `lib-${type}`);
      expect(feed).toMatch(/^\{"contentType":"application\/rss\+xml; charset=utf-8"\}\n<\?xml /);
      expect(feed).toContain(`<title>Work &amp; Co lib-${type} feed</title>`);
      expect(feed).toContain(`<link>${baseUrl}/lib-${type}/changeset/${first}</link>`);
      expect(feed).toContain(`first\n A ${someFile} (1 lines added, 0 lines removed)&lt;/pre&gt;`);
      expect(await feedOf('admin', `lib-${type}`)).toBe(feed);

      for (const message of ['second', 'third']) await remote.commit({ [someFile]: message }, message);
      await admin.result('pull', { repoid: `lib-${type}` });
      const titles = async (name: string) =>
        [...(await feedOf('admin', name)).matchAll(/<item>\n<title>(.*)<\/title>/g)].map(([, title]) => title);
      expect(await titles(`lib-${type}`)).toEqual(['third', 'second']);
      await admin.result('update_repo', { repoid: `lib-${type}`, name: `new-${type}` });
      const renamed = await feedOf('admin', `new-${type}`, 'atom');
      expect(renamed).not.toContain('lib-');
      expect(renamed).toMatch(/^\{"contentType":"application\/atom\+xml; charset=utf-8"\}\n/);
    } finally {
      await remote.close();
    }
  });

  it('of an empty repository has no items', async () => {
    await admin.result('create_repo', { repo_name: `empty-${type}`, repo_type: type });
    const feed = await feedOf('admin', `empty-${type}`);
    expect(feed).toContain(`<description>Changes on empty-${type} repository</description>`);
    expect(feed).not.toContain('<item>');
  });
});

describe('the feed of a repository', () => {
  it('B10 is refused alike for a hidden and a missing repository', async () => {
    await admin.result('create_repo', { repo_name: 'hidden', repo_type: 'git', private: true });
    for (const repoid of ['hidden', 'missing']) await expect(feedOf('ann', repoid)).rejects.toThrow(denied);
  });
});

describe('activity feeds', () => {
  it('list the activity of followed repositories in words, the newest first', async () => {
    const bob = await makeUser('bob');
    await bob.result('create_repo', { repo_name: 'bobs', repo_type: 'git' });
    await bob.result('update_repo', { repoid: 'bobs', description: 'x' });
    await bob.result('update_repo', { repoid: 'bobs', name: 'bobs-tool' });
    await bob.result('lock', { repoid: 'bobs-tool', locked: true });
    await bob.error('pull', { repoid: 'bobs-tool' });
    await bob.result('fork_repo', { repoid: 'bobs-tool', fork_name: 'bobs-fork' });
    await admin.result('follow_repo', { repoid: 'bobs-tool' });
    await admin.result('follow_repo', { repoid: 'bobs-tool', userid: 'bob' });
    expect(await told('bob')).toEqual([
      'admin started following bobs-tool',
      'First bob forked bobs-fork',
      'First bob renamed bobs-tool',
      'First bob updated bobs-tool',
      'First bob created bobs-tool',
    ]);
    expect(await activityOf('bob', 'own', { limit: 1 })).toMatchObject([
      { actor: 'admin', link: '/bobs-tool/changelog' },
    ]);
    const [, second, third] = await activityOf('bob');
    expect(await activityOf('bob', 'own', { limit: 1, cursor: second?.id })).toEqual([third]);
  });

  it('B10 list only repositories that the user may read now', async () => {
    const eve = await makeUser('eve');
    await admin.result('create_repo', { repo_name: 'shared', repo_type: 'hg' });
    await eve.result('follow_repo', { repoid: 'shared' });
    const seen = ['First eve started following shared', 'admin created shared'];
    expect(await told('eve')).toEqual(seen);
    expect((await told('eve', 'public')).slice(0, 2)).toEqual(seen);

    await admin.result('grant_user_permission', { repoid: 'shared', userid: 'eve', perm: 'repository.none' });
    for (const kind of ['own', 'public']) expect((await told('eve', kind)).join()).not.toContain('shared');
    expect((await told('ann', 'public')).slice(0, 2)).toEqual(seen);

    await admin.result('grant_user_permission', { repoid: 'shared', userid: 'eve', perm: 'repository.write' });
    await admin.result('update_repo', { repoid: 'shared', private: true });
    expect(await told('eve')).toEqual(['admin updated shared', ...seen]);
    for (const user of ['eve', 'admin', 'default']) expect((await told(user, 'public')).join()).not.toContain('shared');

    await admin.result('grant_user_permission', { repoid: 'shared', userid: 'default', perm: 'repository.read' });
    for (const user of ['default', 'ann']) await expect(feedOf(user, 'shared')).rejects.toThrow(denied);
    expect((await told('default', 'public')).join()).not.toContain('shared');
  });

  it('list the activity of a deleted repository to its actor, and to administrators with the one who deleted it', async () => {
    const kim = await makeUser('kim');
    await kim.result('create_repo', { repo_name: 'kims', repo_type: 'git' });
    const { repo_id: id } = await kim.result<{ repo_id: number }>('get_repo', { repoid: 'kims' });
    await admin.result('follow_repo', { repoid: 'kims' });
    await kim.result('delete_repo', { repoid: id });
    expect(await told('kim')).toEqual(['First kim deleted kims', 'First kim created kims']);
    expect((await activityOf('kim')).map(({ link }) => link)).toEqual([null, null]);
    expect((await told('admin'))[0]).toBe('First kim deleted kims');
    expect((await told('admin')).join()).not.toContain('created kims');
    expect((await told('ann')).join()).not.toContain('kims');
    for (const user of ['kim', 'admin']) expect((await told(user, 'public')).join()).not.toContain('kims');
  });

  it('are available as RSS', async () => {
    const lee = await makeUser('lee');
    await lee.result('create_repo', { repo_name: 'lees', repo_type: 'git' });
    const ask = (kind: string) => views.ask('lee', 'journal_feed', { kind, format: 'rss', base_url: baseUrl });
    const own = await ask('own');
    expect(own).toMatch(/^\{"contentType":"application\/rss\+xml; charset=utf-8"\}\n<\?xml /);
    expect(own.match(/<item>[^]*<\/item>/)?.[0]).toMatch(
      /^<item>\n<title>First lee - created lees<\/title>\n<link>https:\/\/code.example.com\/lees\/changelog<\/link>\n/,
    );
    expect(own).toContain('<title>Work &amp; Co journal feed</title>');
    expect(await ask('public')).toContain('<title>Work &amp; Co public journal feed</title>');
  });
});
