import { describe, expect, it } from 'vitest';
import { admin, makeUser } from '../harness/shared-cluster.ts';

const fresh = {
  repository: 'repository.read',
  group: 'group.read',
  usergroup: 'usergroup.read',
  create_repository: true,
  fork_repository: true,
  register: 'hg.register.manual_activate',
};

describe('get_default_permissions and update_default_permissions', () => {
  it('return the defaults of a fresh instance', async () => {
    expect(await admin.result('get_default_permissions')).toEqual(fresh);
  });

  it.each([
    ['repository', 'group.read'],
    ['repository', 'repository'],
    ['repository', 'repository.read.x'],
    ['repository', 'Repository.read'],
    ['group', 'repository.read'],
    ['usergroup', 'usergroup.owner'],
    ['usergroup', ''],
    ['register', 'hg.register.auto'],
    ['register', 'hg.admin'],
  ])('%s is never %j, and nothing of that call happens', async (name, perm) => {
    const args = { repository: 'repository.none', create_repository: false, overwrite_repositories: true };
    expect(await admin.error('update_default_permissions', { ...args, [name]: perm })).toBe(
      `permission \`${perm}\` does not exist`,
    );
    expect(await admin.result('get_default_permissions')).toEqual(fresh);
  });

  it('refuse a flag that is no boolean', async () => {
    for (const name of ['create_repository', 'fork_repository', 'overwrite_repositories', 'overwrite_groups']) {
      expect(await admin.error('update_default_permissions', { [name]: 'maybe' })).toBe(
        `Invalid value for \`${name}\`: must be a boolean`,
      );
    }
  });

  it('are refused to all but administrators', async () => {
    const { client } = await makeUser();
    for (const method of ['get_default_permissions', 'update_default_permissions']) {
      expect(await client.error(method)).toBe('Access was denied to this resource.');
    }
  });
});
