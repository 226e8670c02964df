import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openWorkerAsker, type WorkerAsker } from '../harness/ask-worker.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeGitRemote, type Remote } from '../harness/remotes.ts';
import { author, someFile } from '../harness/unique-name.ts';

type Asker = Awaited<ReturnType<WorkerAsker['as']>>;

const password = 'correct horse battery';

let cluster: Cluster;
let asker: WorkerAsker;
let admin: Client;
let remote: Remote;
let rawId: string;
let reader: Asker;
let anybody: Asker;

async function makeRepositories(names: readonly string[], args: Record<string, unknown> = {}): Promise<void> {
  for (const repo_name of names) await admin.result('create_repo', { repo_name, ...args });
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  asker = await openWorkerAsker(cluster);
  remote = await makeGitRemote();
  rawId = await remote.commit({ [someFile]: 'a' }, `First line\n\n${'more '.repeat(1_000)}`);
  for (const username of ['reader', 'other']) {
    await admin.result('create_user', { username, email: `${username}@example.com`, password });
  }
  await makeRepositories(['apple', 'Zebra', 'docs/Äpfel', 'docs/deep/pear']);
  await makeRepositories(['secret', 'docs/hidden'], { private: true });
  const clone_uri = remote.url.replace('://', '://ann:pw@');
  await makeRepositories(['docs/mirror'], { repo_type: 'git', clone_uri });
  await makeRepositories(['closed/inside']);
  await admin.result('revoke_user_permission_from_repo_group', { repogroupid: 'closed', userid: 'default' });
  await admin.result('create_repo', { repo_name: 'readers', owner: 'reader' });
  reader = await asker.as('reader');
  anybody = await asker.as(null);
}, 60_000);

afterAll(async () => {
  await remote.close();
  await asker.close();
  await cluster.stop();
});

const namesOf = ({ repositories }: { repositories: readonly { repo_name: string }[] }) =>
  repositories.map(({ repo_name: name }) => name);

async function browse(args: Record<string, unknown>, as = reader) {
  const answer = await as.call('browse_repositories', args);
  return { ...answer, names: namesOf(answer), groupNames: answer.groups.map(({ name }) => name) };
}

describe('browse_repositories', () => {
  it('shows groups and repositories at the top level by name, without private ones of others', async () => {
    const { names, groupNames, group, parents, next } = await browse({});
    expect({ names, groupNames, group, parents, next }).toEqual({
      names: ['Zebra', 'apple', 'readers'],
      groupNames: ['docs'],
      group: null,
      parents: [],
      next: null,
    });
    expect((await browse({}, await asker.as('admin'))).names).toContain('secret');
    expect((await browse({}, anybody)).names).toEqual(['Zebra', 'apple', 'readers']);
  });

  it('shows groups and repositories in a group, with the groups above it', async () => {
    const { names, groupNames, group } = await browse({ group: 'docs' });
    expect({ names, groupNames }).toEqual({ names: ['docs/mirror', 'docs/Äpfel'], groupNames: ['docs/deep'] });
    expect(group).toEqual({ name: 'docs', description: expect.any(String), level: 'read' });
    expect((await browse({ group: 'docs/deep' })).parents).toEqual(['docs']);
  });

  it.each(['missing', 'closed', 'doc', '', 'apple', '%'])(
    'group %j does not exist for who may not read it',
    async (group) => {
      await expect(browse({ group })).rejects.toThrow(`repository group \`${group}\` does not exist`);
    },
  );

  it.each([
    [{ filter: 'PEAR' }, ['docs/deep/pear'], []],
    [{ filter: 'äPF' }, ['docs/Äpfel'], []],
    [{ filter: 'e' }, ['Zebra', 'apple', 'closed/inside', 'docs/deep/pear', 'docs/Äpfel', 'readers'], ['docs/deep']],
    [{ filter: 'e', group: 'docs' }, ['docs/deep/pear', 'docs/Äpfel'], ['docs/deep']],
    [{ owned: true }, ['readers'], []],
    [{ watched: true }, ['readers'], []],
    [{ watched: true, filter: 'x' }, [], []],
    [{ filter: 'hidden' }, [], []],
    [{ filter: 'closed', owned: 'false' }, ['closed/inside'], []],
  ])('finds by %j', async (args, names, groupNames) => {
    expect(await browse(args)).toMatchObject({ names, groupNames });
  });

  it.each(['%', '.*', '_', '\\', '[a-z]', "'", '***=apple', '(', '日'])(
    'D1 a filter is looked for as it is: %s',
    async (filter) => {
      expect((await browse({ filter })).names).toEqual([]);
    },
  );

  it('returns pages that together are the whole list', async () => {
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof browse>> = await browse({ filter: 'e', limit: 2, cursor });
      expect(page.names.length).toBeLessThanOrEqual(2);
      expect(page.groupNames.length > 0).toBe(cursor === null);
      names.push(...page.names);
      cursor = page.next;
    } while (cursor !== null);
    expect(names).toEqual((await browse({ filter: 'e' })).names);
  });

  it('shows the first line of the newest message, dates and levels', async () => {
    const { repositories } = await browse({ filter: 'mirror' });
    expect(repositories).toEqual([
      {
        repo_id: expect.any(Number),
        repo_name: 'docs/mirror',
        repo_type: 'git',
        private: false,
        description: 'mirror',
        owner: 'admin',
        fork_of: null,
        locked_by: null,
        last_changeset: {
          short_id: rawId.slice(0, 12),
          raw_id: rawId,
          message: 'First line',
          author: author.full,
          date: expect.stringMatching(/^\d{4}-/),
        },
        created_on: expect.stringMatching(/^\d{4}-/),
        level: 'read',
      },
    ]);
  });
});

describe('list_forks and view_repository', () => {
  it('count and list the forks that the caller may read', async () => {
    await admin.result('fork_repo', { repoid: 'apple', fork_name: 'apple-1', owner: 'other' });
    await admin.result('fork_repo', { repoid: 'apple', fork_name: 'apple-2', private: true });
    await admin.result('fork_repo', { repoid: 'secret', fork_name: 'open-copy', private: false });
    const forks = await reader.call('list_forks', { repoid: 'apple' });
    expect(forks).toMatchObject({
      repositories: [{ repo_name: 'apple-1', owner: 'other', fork_of: 'apple' }],
      next: null,
    });
    expect(await reader.call('view_repository', { repoid: 'apple' })).toMatchObject({ forks: 1, fork_of: null });
    const asAdmin = await asker.as('admin');
    expect(namesOf(await asAdmin.call('list_forks', { repoid: 'apple', limit: 1 }))).toEqual(['apple-1']);
    expect(namesOf(await asAdmin.call('list_forks', { repoid: 'apple', cursor: 'apple-1' }))).toEqual(['apple-2']);
    expect(await asAdmin.call('view_repository', { repoid: 'apple' })).toMatchObject({ forks: 2, level: 'admin' });
    expect(await asAdmin.call('view_repository', { repoid: 'open-copy' })).toMatchObject({ fork_of: 'secret' });
    expect(await reader.call('view_repository', { repoid: 'open-copy' })).toMatchObject({ fork_of: null });
  });

  it('show the heading of a repository', async () => {
    await admin.result('lock', { repoid: 'docs/mirror', locked: true });
    await admin.result('follow_repo', { repoid: 'docs/mirror', userid: 'reader' });
    expect(await reader.call('view_repository', { repoid: 'docs/mirror' })).toMatchObject({
      repo_name: 'docs/mirror',
      repo_type: 'git',
      landing_rev: 'tip',
      enable_downloads: expect.any(Boolean),
      clone_uri: null,
      locked_by: 'admin',
      followers: 2,
      forks: 0,
      is_following: true,
      parents: ['docs'],
      level: 'read',
      last_changeset: { raw_id: rawId },
    });
    expect(await anybody.call('view_repository', { repoid: 'docs/mirror' })).toMatchObject({ is_following: false });
  });

  it('D10 show a remote location to administrators only, and its password never', async () => {
    const { clone_uri: shown } = await (await asker.as('admin')).call('view_repository', { repoid: 'docs/mirror' });
    expect(shown).toMatch(/^http:\/\/ann:\*+@127/);
  });

  it.each(['secret', 'docs/hidden', 'missing'])('%s is denied to a user who may not read it', async (repoid) => {
    for (const name of ['view_repository', 'view_repository_head', 'list_forks'] as const) {
      await expect(reader.call(name, { repoid })).rejects.toThrow('Access was denied to this resource.');
    }
  });
});

describe('view_files_page', () => {
  const at = { repoid: 'docs/mirror', revision: 'tip', path: '' };

  it('answers as the three views do that it stands for', async () => {
    const { repoid } = at;
    const { refs, next } = await reader.call('list_refs', { repoid, limit: 5 });
    const { meaning } = await reader.call('list_refs', { repoid, named: at.revision });
    const answer = {
      repository: await reader.call('view_repository_head', { repoid }),
      shown: await reader.call('view_path', at),
      not_found: null,
      refs: { refs, next },
      meaning,
    };
    expect(answer.shown.entries).toHaveLength(1);
    for (const _ of ['made', 'cached'])
      expect(await reader.call('view_files_page', { ...at, refs_limit: 5 })).toEqual(answer);
  });

  it('tells the last changes of entries when it is asked, and the same from the cache', async () => {
    const { changeset } = await reader.call('view_path', at);
    const { raw_id, short_id, author, date, message } = changeset;
    const listed = { raw_id, short_id, author, date, message: message.split('\n', 1)[0] };
    const changes = { newest: listed, changesets: [listed], entries: [0] };
    for (const changes_from of [0, 0, 1_000]) {
      expect(await reader.call('view_files_page', { ...at, changes_from })).toMatchObject({ changes });
    }
    const [entry] = (await reader.call('view_path', at)).entries ?? [];
    const file = await reader.call('view_files_page', { ...at, path: entry?.name, changes_from: 0 });
    expect(file).toMatchObject({ shown: { entries: null }, changes: null });
  });

  it.each([
    ['docs/mirror', 'none', '', 'Unknown revision none'],
    ['docs/mirror', 'tip', 'none', 'There is no such file or directory'],
    ['apple', 'tip', '', 'Empty repository'],
  ])('says what %s does not have at %s: %j', async (repoid, revision, path, text) => {
    const answer = await reader.call('view_files_page', { repoid, revision, path });
    expect(answer).toMatchObject({ repository: { repo_name: repoid }, shown: null, not_found: text });
  });

  it.each(['secret', 'missing'])('%s is denied to a user who may not read it', async (repoid) => {
    const asked = reader.call('view_files_page', { ...at, repoid });
    await expect(asked).rejects.toThrow('Access was denied to this resource.');
  });
});

describe('browse_refs', () => {
  it('shows a branch with what it names, to those who may read it', async () => {
    const page = await reader.call('browse_refs', { repoid: 'docs/mirror', kind: 'branch' });
    const ref = { kind: 'branch', raw_id: rawId, closed: false };
    expect(page).toMatchObject({
      refs: [{ ...ref, ahead: 0, behind: 0, tag: null, changeset: { about: 'First line', has_signature: false } }],
      next: null,
      total: 1,
      default_ref: ref,
    });
    expect(page.refs[0]?.changeset?.author).toContain(author.name);
    const none = { refs: [], next: null, total: 0, default_ref: null };
    expect(await reader.call('browse_refs', { repoid: 'apple', kind: 'branch' })).toEqual(none);
    for (const repoid of ['secret', 'missing'])
      await expect(reader.call('browse_refs', { repoid, kind: 'branch' })).rejects.toThrow('Access was denied');
  });
});

describe('view_document', () => {
  const at = { repoid: 'docs/mirror', revision: 'tip', path: someFile };

  it('answers with HTML, again from the cache', async () => {
    for (const _ of ['made', 'cached'])
      expect(await reader.call('view_document', at)).toMatchObject({ html: expect.stringContaining('<p>a</p>') });
  });

  it.each([
    ['secret', someFile, 'Access was denied to this resource.'],
    ['missing', someFile, 'Access was denied to this resource.'],
    ['docs/mirror', 'none', 'There is no such file or directory'],
    ['docs/mirror', '../etc/passwd', 'There is no such file or directory'],
  ])('says of %s that %s cannot be read: %s', async (repoid, path, text) => {
    await expect(reader.call('view_document', { ...at, repoid, path })).rejects.toThrow(text);
  });
});

it('B7 a limited key calls no method and no view of a worker', async () => {
  await admin.result('create_user', { username: 'machine', email: 'machine@example.com', admin: true });
  await admin.result('create_api_key', { userid: 'machine', limited_to: 'push' });
  // The asker calls with the first key of a user.
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await sql`delete from api_keys where builtin and user_id = (select id from users where username = 'machine')`;
  await sql.end();
  const { call } = await asker.as('machine');
  const answers = await Promise.allSettled([
    call('get_ip', { userid: 'machine' }),
    call('get_repo', { repoid: 'apple' }),
    call('delete_repo', { repoid: 'apple' }),
    call('create_api_key'),
    call('browse_repositories'),
  ]);
  const refused = 'This API key is limited to clone, fetch and push';
  for (const answer of answers) expect(answer).toMatchObject({ reason: { message: refused } });
  expect(await admin.result('get_repo', { repoid: 'apple' })).not.toBeNull();
});
