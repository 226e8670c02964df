import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

const fresh = {
  repository: 'repository.read',
  group: 'group.read',
  usergroup: 'usergroup.read',
  create_repository: true,
  fork_repository: true,
  register: 'hg.register.manual_activate',
};
const denied = 'Access was denied to this resource.';

interface Permissions {
  readonly global: string[];
  readonly repositories: Record<string, string>;
  readonly repositories_groups: Record<string, string>;
  readonly user_groups: Record<string, string>;
}

let cluster: Cluster;
let admin: Client;
let ann: Client;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  ann = createClient(cluster.baseUrl, api_key);
});
beforeEach(() => admin.result('update_default_permissions', fresh));
afterAll(() => cluster.stop());

const update = (args: Record<string, unknown>) => admin.result('update_default_permissions', args);
const create = (repo_name: string, args = {}) => admin.result('create_repo', { repo_name, repo_type: 'git', ...args });

async function annsPermissions(): Promise<Permissions> {
  const { permissions } = await ann.result<{ permissions: Permissions }>('get_user');
  return permissions;
}

describe('update_default_permissions', () => {
  it('changes only the given values', async () => {
    const changes = [
      { repository: 'repository.none' },
      { group: 'group.admin' },
      { usergroup: 'usergroup.write' },
      { create_repository: false },
      { fork_repository: false },
      { register: 'hg.register.auto_activate' },
      { register: 'hg.register.none' },
    ];
    let expected = fresh;
    for (const change of changes) {
      expected = { ...expected, ...change };
      expect(await update(change)).toEqual({ msg: 'updated default permissions', permissions: expected });
      expect(await admin.result('get_default_permissions')).toEqual(expected);
    }
  });

  it('a user without own rights has those of everybody', async () => {
    await update({ repository: 'repository.write', usergroup: 'usergroup.none', fork_repository: false });
    const { global } = await annsPermissions();
    expect(global).toEqual([
      'group.read',
      'hg.create.repository',
      'hg.register.manual_activate',
      'repository.write',
      'usergroup.none',
    ]);
  });

  it('new repositories and groups have the new levels, existing ones keep theirs', async () => {
    await create('before/it');
    await update({ repository: 'repository.none', group: 'group.write' });
    await create('after/it');
    const { repositories, repositories_groups } = await annsPermissions();
    expect(repositories).toMatchObject({ 'before/it': 'repository.read' });
    expect(repositories).not.toHaveProperty('after/it');
    expect(repositories_groups).toMatchObject({ before: 'group.read', after: 'group.write' });
    expect(await ann.result('get_repo', { repoid: 'before/it' })).not.toBeNull();
    expect(await ann.error('get_repo', { repoid: 'after/it' })).toBe('repository `after/it` does not exist');
  });

  it('overwrites the levels of existing repositories when asked, but opens no private one', async () => {
    await create('old/public');
    await create('old/private', { private: true });
    await create('old/revoked');
    await admin.result('revoke_user_permission', { repoid: 'old/revoked', userid: 'default' });
    await admin.result('grant_user_permission', { repoid: 'old/public', userid: 'ann', perm: 'repository.admin' });

    await update({ repository: 'repository.write', overwrite_groups: true });
    expect((await annsPermissions()).repositories).not.toHaveProperty('old/revoked');
    await update({ group: 'group.none', overwrite_repositories: true });
    expect(await annsPermissions()).toMatchObject({
      repositories: { 'old/public': 'repository.admin', 'old/revoked': 'repository.write' },
      repositories_groups: { old: 'group.read' },
    });
    expect((await annsPermissions()).repositories).not.toHaveProperty('old/private');
    // Still absent when the repository is not private any more: its own row was not changed.
    await admin.result('update_repo', { repoid: 'old/private', private: false });
    expect((await annsPermissions()).repositories).not.toHaveProperty('old/private');

    await update({ overwrite_groups: true });
    expect((await annsPermissions()).repositories_groups).not.toHaveProperty('old');
  });

  it('a right to create that everybody loses is gone at once, and can be granted again', async () => {
    await ann.result('create_repo', { repo_name: 'one', repo_type: 'git' });
    await update({ create_repository: false });
    expect(await ann.error('create_repo', { repo_name: 'two', repo_type: 'git' })).toBe(denied);

    const perm = 'hg.create.repository';
    await admin.result('grant_global_permission', { perm, userid: 'ann' });
    await ann.result('create_repo', { repo_name: 'two', repo_type: 'git' });
    await admin.result('revoke_global_permission', { perm, userid: 'ann' });
    expect(await ann.error('create_repo', { repo_name: 'three', repo_type: 'git' })).toBe(denied);

    await admin.result('create_user_group', { group_name: 'makers' });
    await admin.result('add_user_to_user_group', { usersgroupid: 'makers', userid: 'ann' });
    await admin.result('grant_global_permission', { perm, usersgroupid: 'makers' });
    await ann.result('create_repo', { repo_name: 'three', repo_type: 'git' });
    await admin.result('revoke_global_permission', { perm, usersgroupid: 'makers' });
    expect(await ann.error('create_repo', { repo_name: 'four', repo_type: 'git' })).toBe(denied);

    await admin.result('grant_global_permission', { perm, userid: 'default' });
    expect(await admin.result('get_default_permissions')).toEqual(fresh);
    await ann.result('create_repo', { repo_name: 'four', repo_type: 'git' });
  });

  it('missing rows count as the level none', async () => {
    await update({
      repository: 'repository.none',
      group: 'group.none',
      usergroup: 'usergroup.none',
      create_repository: false,
      fork_repository: false,
      register: 'hg.register.none',
    });
    const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
    const none = await admin.result('get_default_permissions');
    await sql`delete from user_global_permissions`;
    await sql.end();
    expect(await admin.result('get_default_permissions')).toEqual(none);
    await create('without/rows');
    expect((await annsPermissions()).repositories).not.toHaveProperty('without/rows');
  });
});
