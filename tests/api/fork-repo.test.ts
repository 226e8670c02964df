import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeGitRemote, makeHgRemote, type Remote } from '../harness/remotes.ts';
import {
  admin,
  makeRepository,
  makeUser,
  repositoryTypes,
  sql,
  uniqueName,
  type RepositoryType,
  storagePathOf,
} from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';

interface Repo {
  readonly members: readonly { readonly type: string; readonly permission: string; readonly username?: string }[];
  readonly last_changeset: { readonly raw_id: string };
}

const remotes: Partial<Record<RepositoryType, Remote>> = {};
let rawIds: Record<RepositoryType, string>;

beforeAll(async () => {
  remotes.git = await makeGitRemote();
  remotes.hg = await makeHgRemote();
  rawIds = { git: await remotes.git.commit({ 'a/b': '1' }), hg: await remotes.hg.commit({ 'a/b': '1' }) };
});
afterAll(() => Promise.all(Object.values(remotes).map((remote) => remote.close())));

/** Creates a repository with one changeset. */
const makeFilled = (type: RepositoryType) => makeRepository(type, { clone_uri: remotes[type]?.url });
const getRepo = (repoid: string) => admin.result<Repo>('get_repo', { repoid });

describe.each(repositoryTypes)('fork_repo %s', (type) => {
  it('creates a copy that the caller owns, without a remote location', async () => {
    const source = await makeFilled(type);
    const fork = uniqueName('fork');
    expect(await admin.result('fork_repo', { repoid: source, fork_name: fork })).toEqual({
      msg: `Created fork of \`${source}\` as \`${fork}\``,
      success: true,
      task: null,
    });
    expect(await getRepo(fork)).toMatchObject({
      repo_name: fork,
      repo_type: type,
      fork_of: source,
      clone_uri: null,
      owner: 'admin',
      private: false,
      description: fork,
      landing_rev: 'tip',
      enable_downloads: false,
      enable_locking: false,
      enable_statistics: false,
      last_changeset: { raw_id: rawIds[type] },
      members: [{ type: 'user', username: 'default', permission: 'repository.read' }],
      followers: [{ username: 'admin' }],
    });
    const nodes = await admin.result('get_repo_nodes', { repoid: fork, revision: 'tip', root_path: '/' });
    expect(nodes).toEqual([
      { name: 'a', type: 'dir' },
      { name: 'a/b', type: 'file' },
    ]);
  });

  it('forks an empty repository', async () => {
    const source = await makeRepository(type);
    const fork = uniqueName('fork');
    await admin.result('fork_repo', { repoid: source, fork_name: fork });
    expect(await getRepo(fork)).toMatchObject({ fork_of: source, last_changeset: { raw_id: '0'.repeat(40) } });
  });

  it('shares no file that either repository writes: a pull into the source does not change the fork', async () => {
    const remote = type === 'git' ? await makeGitRemote() : await makeHgRemote();
    try {
      const before = await remote.commit({ [someFile]: '1' });
      const source = await makeRepository(type, { clone_uri: remote.url });
      const fork = uniqueName('fork');
      await admin.result('fork_repo', { repoid: source, fork_name: fork });
      const after = await remote.commit({ [someFile]: '2' });
      await admin.result('pull', { repoid: source });
      await admin.result('invalidate_cache', { repoid: fork });
      expect((await getRepo(source)).last_changeset.raw_id).toBe(after);
      expect((await getRepo(fork)).last_changeset.raw_id).toBe(before);
      const path = await storagePathOf(fork);
      if (type === 'git') await git(path, 'fsck', '--strict');
      else await hg(path, 'verify');
    } finally {
      await remote.close();
    }
  });

  it('has hard links to the files of the source, and no reference to its path', async () => {
    const source = await makeFilled(type);
    const fork = uniqueName('fork');
    await admin.result('fork_repo', { repoid: source, fork_name: fork });
    const path = await storagePathOf(fork);
    const files = await readdir(path, { recursive: true, withFileTypes: true });
    const links = await Promise.all(
      files.filter((one) => one.isFile()).map(async (one) => (await stat(join(one.parentPath, one.name))).nlink),
    );
    expect(links.some((count) => count > 1)).toBe(true);
    const config = await readFile(join(path, type === 'git' ? 'config' : '.hg/hgrc'), 'utf8');
    expect(config).not.toContain('@repos');
    expect(config).toContain('uuid');
  });

  it('C9 repairs a source that a cut-off write has left, records its tip, and then forks it', async () => {
    const source = await makeFilled(type);
    const forks = Array.from({ length: 4 }, () => uniqueName('fork'));
    // The state that a pull leaves when its worker dies.
    const [before] = await sql<{ generation: number }[]>`
      update repositories set needs_recovery = true, last_changeset = null where name = ${source} returning generation::int`;
    await writeFile(join(await storagePathOf(source), type === 'git' ? 'packed-refs.lock' : '.hg/wlock'), '');
    await Promise.all(forks.map((fork_name) => admin.result('fork_repo', { repoid: source, fork_name })));
    for (const name of [source, ...forks]) expect((await getRepo(name)).last_changeset.raw_id).toBe(rawIds[type]);
    const [row] = await sql`select needs_recovery, generation::int from repositories where name = ${source}`;
    // One of the four forks has repaired the source, once.
    expect(row).toEqual({ needs_recovery: false, generation: (before?.generation ?? 0) + 1 });
    const files = await readdir(await storagePathOf(source), { recursive: true });
    expect(files.filter((file) => file.endsWith('lock'))).toEqual([]);
  });

  it('a fork keeps everything when its source is deleted', async () => {
    const source = await makeFilled(type);
    const fork = uniqueName('fork');
    await admin.result('fork_repo', { repoid: source, fork_name: fork });
    await admin.result('delete_repo', { repoid: source, forks: 'detach' });
    await admin.result('invalidate_cache', { repoid: fork });
    expect(await getRepo(fork)).toMatchObject({ fork_of: null, last_changeset: { raw_id: rawIds[type] } });
  });
});

describe('fork_repo', () => {
  it('sets every option, and creates missing groups', async () => {
    const owner = await makeUser();
    const source = await makeRepository('git');
    const group = uniqueName('group');
    await admin.result('fork_repo', {
      repoid: source,
      fork_name: `${group}/sub/fork`,
      owner: owner.username,
      description: 'a description',
      private: 'true',
      landing_rev: 'rev:tip',
    });
    expect(await getRepo(`${group}/sub/fork`)).toMatchObject({
      owner: owner.username,
      description: 'a description',
      private: true,
      landing_rev: 'rev:tip',
      members: [{ username: 'default', permission: 'repository.none' }],
      followers: [{ username: owner.username }],
    });
  });

  it('copy_permissions: copies the permissions of the source, in their order', async () => {
    const source = await makeRepository('git');
    const reader = await makeUser();
    const group = uniqueName('group');
    await admin.result('create_user_group', { group_name: group });
    await admin.result('grant_user_permission', { repoid: source, userid: reader.id, perm: 'repository.write' });
    await admin.result('grant_user_group_permission', {
      repoid: source,
      usersgroupid: group,
      perm: 'repository.admin',
    });
    const levels = async (repoid: string) =>
      (await getRepo(repoid)).members.map(({ type, permission }) => `${type} ${permission}`);
    const [copied, plain, closed] = [uniqueName('fork'), uniqueName('fork'), uniqueName('fork')];
    await admin.result('fork_repo', { repoid: source, fork_name: copied, copy_permissions: true });
    await admin.result('fork_repo', { repoid: source, fork_name: plain });
    await admin.result('fork_repo', { repoid: source, fork_name: closed, copy_permissions: true, private: true });
    expect(await levels(copied)).toEqual([
      'user repository.read',
      'user repository.write',
      'users_group repository.admin',
    ]);
    expect(await levels(plain)).toEqual(['user repository.read']);
    expect(await levels(closed)).toEqual([
      'user repository.none',
      'user repository.write',
      'users_group repository.admin',
    ]);
    await admin.result('revoke_user_permission', { repoid: source, userid: 'default' });
    const shut = uniqueName('fork');
    await admin.result('fork_repo', { repoid: source, fork_name: shut, copy_permissions: true });
    expect(await levels(shut)).toEqual(['user repository.write', 'users_group repository.admin']);
  });

  it('refuses a name that a repository, a fork or a group has', async () => {
    const source = await makeRepository('git');
    const fork = `${uniqueName('group')}/fork`;
    await admin.result('fork_repo', { repoid: source, fork_name: fork });
    const again = (fork_name: string) => admin.error('fork_repo', { repoid: source, fork_name, owner: 'no-such' });
    expect(await again(source)).toBe(`repo \`${source}\` already exist`);
    expect(await again(fork)).toBe(`fork \`${fork}\` already exist`);
    expect(await again(fork.split('/')[0] ?? '')).toMatch(/^repo `group-.*` already exist$/);
  });

  it('C1 refuses an invalid name', async () => {
    const source = await makeRepository('git');
    for (const fork_name of ['', '-x', 'a//b', '../x', '_admin', '42', 'x.git', `${source}/below`]) {
      const error = await admin.error('fork_repo', { repoid: source, fork_name });
      expect(error.startsWith(`failed to fork repository \`${source}\` as \`${fork_name}\`: `)).toBe(true);
    }
    const { repo_id: repoid } = await admin.result<{ repo_id: number }>('get_repo', { repoid: source });
    expect(await admin.error('fork_repo', { repoid, fork_name: `${source}/below` })).toBe(
      `failed to fork repository \`${source}\` as \`${source}/below\`: \`${source}\` is a repository`,
    );
  });

  it('refuses an invalid owner', async () => {
    const source = await makeRepository('git');
    for (const owner of ['no-such', 'default']) {
      const error = await admin.error('fork_repo', { repoid: source, fork_name: uniqueName('fork'), owner });
      expect(error).toBe(`user \`${owner}\` does not exist`);
    }
  });

  it('C7 creates one fork in concurrent calls of one name', async () => {
    const source = await makeRepository('git');
    const fork = uniqueName('fork');
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => admin.call('fork_repo', { repoid: source, fork_name: fork })),
    );
    expect(replies.filter(({ error }) => error === null)).toHaveLength(1);
    expect(new Set(replies.map(({ error }) => error ?? ''))).toEqual(new Set(['', `fork \`${fork}\` already exist`]));
  });

  it('creates many forks of one source at once', async () => {
    const source = await makeFilled('git');
    const forks = Array.from({ length: 10 }, () => uniqueName('fork'));
    await Promise.all(forks.map((fork_name) => admin.result('fork_repo', { repoid: source, fork_name })));
    for (const fork of forks) expect((await getRepo(fork)).last_changeset.raw_id).toBe(rawIds.git);
  });

  it('reports missing arguments', async () => {
    expect(await admin.error('fork_repo')).toBe('Missing non optional `repoid` arg in JSON DATA');
    expect(await admin.error('fork_repo', { repoid: 1 })).toBe('Missing non optional `fork_name` arg in JSON DATA');
  });
});
