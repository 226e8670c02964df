import { beforeAll, describe, expect, it } from 'vitest';
import { admin, makeUser, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

interface Tree {
  readonly top: string;
  readonly open: string;
  readonly closed: string;
  readonly sub: string;
  readonly deep: string;
}

/** Creates a group with an open, a closed and a nested repository, beside a group with the same prefix. */
async function makeTree(): Promise<Tree> {
  const top = uniqueName('grp');
  const tree = { top, open: `${top}/open`, closed: `${top}/closed`, sub: `${top}/sub`, deep: `${top}/sub/deep` };
  for (const repo_name of [tree.open, tree.deep, `${top}-beside/x`]) await admin.result('create_repo', { repo_name });
  await admin.result('create_repo', { repo_name: tree.closed, private: true });
  return tree;
}

type Levels = Record<string, string>;
interface Permissions {
  readonly permissions: { readonly repositories: Levels; readonly repositories_groups: Levels };
}

/** Returns the user's levels on the repositories and groups of a tree that get_user shows to the user. */
async function levelsOf({ client }: TestUser, { top }: Tree): Promise<Levels> {
  const { permissions } = await client.result<Permissions>('get_user');
  const all = { ...permissions.repositories, ...permissions.repositories_groups };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(top)));
}

async function makeUserGroup(...members: TestUser[]): Promise<string> {
  const group_name = uniqueName('devs');
  await admin.result('create_user_group', { group_name });
  for (const { username } of members) {
    await admin.result('add_user_to_user_group', { usersgroupid: group_name, userid: username });
  }
  return group_name;
}

let tree: Tree;
let defaultLevels: Levels;
beforeAll(async () => {
  tree = await makeTree();
  const { top, open, sub, deep } = tree;
  defaultLevels = {
    [top]: 'group.read',
    [open]: 'repository.read',
    [sub]: 'group.read',
    [deep]: 'repository.read',
    [`${top}-beside`]: 'group.read',
    [`${top}-beside/x`]: 'repository.read',
  };
});

const reached = {
  none: () => ({ [tree.top]: 'group.write' }),
  repos: () => ({
    [tree.top]: 'group.write',
    [tree.open]: 'repository.write',
    [tree.closed]: 'repository.write',
    [tree.deep]: 'repository.write',
  }),
  groups: () => ({ [tree.top]: 'group.write', [tree.sub]: 'group.write' }),
  all: () => ({ ...reached.repos(), ...reached.groups() }),
};
const ways = ['none', 'repos', 'groups', 'all'] as const;

describe('levels on a repository group', () => {
  it.each(ways)('are granted to a user, applied to %s, and revoked', async (below) => {
    const user = await makeUser();
    const args = { repogroupid: tree.top, userid: user.username, apply_to_children: below };
    const tail = `(recursive:${below}) for user: \`${user.username}\` in repo group: \`${tree.top}\``;
    expect(await admin.result('grant_user_permission_to_repo_group', { ...args, perm: 'group.write' })).toEqual({
      msg: `Granted perm: \`group.write\` ${tail}`,
      success: true,
    });
    expect(await levelsOf(user, tree)).toEqual({ ...defaultLevels, ...reached[below]() });
    for (let times = 0; times < 2; times += 1) {
      expect(await admin.result('revoke_user_permission_from_repo_group', args)).toEqual({
        msg: `Revoked perm ${tail}`,
        success: true,
      });
    }
    expect(await levelsOf(user, tree)).toEqual(defaultLevels);
  });

  it.each(ways)('are granted to a user group, applied to %s, and revoked', async (below) => {
    const user = await makeUser();
    const usersgroupid = await makeUserGroup(user);
    const args = { repogroupid: tree.top, usersgroupid, apply_to_children: below };
    const tail = `(recursive:${below}) for user group: \`${usersgroupid}\` in repo group: \`${tree.top}\``;
    expect(await admin.result('grant_user_group_permission_to_repo_group', { ...args, perm: 'group.write' })).toEqual({
      msg: `Granted perm: \`group.write\` ${tail}`,
      success: true,
    });
    expect(await levelsOf(user, tree)).toEqual({ ...defaultLevels, ...reached[below]() });
    const { usersgroupid: usergroupid, ...others } = args;
    expect(await admin.result('revoke_user_group_permission_from_repo_group', { ...others, usergroupid })).toEqual({
      msg: `Revoked perm ${tail}`,
      success: true,
    });
    expect(await levelsOf(user, tree)).toEqual(defaultLevels);
  });

  it('are changed, and shown among the members', async () => {
    const { username } = await makeUser();
    const usersgroupid = await makeUserGroup();
    const { top: repogroupid } = await makeTree();
    for (const perm of ['group.read', 'group.admin']) {
      await admin.result('grant_user_permission_to_repo_group', { repogroupid, userid: username, perm });
    }
    await admin.result('grant_user_group_permission_to_repo_group', { repogroupid, usersgroupid, perm: 'group.none' });
    expect(await admin.result('get_repo_group', { repogroupid })).toMatchObject({
      members: [
        { type: 'user', username: 'default', permission: 'group.read' },
        { type: 'user', username, permission: 'group.admin' },
        { type: 'users_group', group_name: usersgroupid, permission: 'group.none' },
      ],
    });
  });

  it('B9 an administrator of a group changes only those objects below it that the caller administers, too', async () => {
    const own = await makeTree();
    const [chief, mate] = [await makeUser(), await makeUser()];
    const change = { repogroupid: own.top, perm: 'group.admin', apply_to_children: 'all' };
    await admin.result('grant_user_permission_to_repo_group', {
      ...change,
      userid: chief.id,
      apply_to_children: 'none',
    });
    await admin.result('grant_user_permission', { repoid: own.deep, userid: chief.id, perm: 'repository.admin' });
    await chief.client.result('grant_user_permission_to_repo_group', { ...change, userid: chief.id });
    await chief.client.result('grant_user_permission_to_repo_group', { ...change, userid: mate.id });
    expect(await levelsOf(mate, own)).toEqual({
      [own.top]: 'group.admin',
      [own.open]: 'repository.read',
      [own.sub]: 'group.read',
      [own.deep]: 'repository.admin',
      [`${own.top}-beside`]: 'group.read',
      [`${own.top}-beside/x`]: 'repository.read',
    });
    expect(await levelsOf(chief, own)).toEqual(await levelsOf(mate, own));
    await chief.client.result('revoke_user_permission_from_repo_group', {
      repogroupid: own.top,
      userid: mate.id,
      apply_to_children: 'all',
    });
    expect(await levelsOf(mate, own)).toMatchObject({ [own.top]: 'group.read', [own.deep]: 'repository.read' });
  });

  it('a private repository stays closed to everybody', async () => {
    const own = await makeTree();
    const user = await makeUser();
    const args = { repogroupid: own.top, userid: 'default', perm: 'group.write', apply_to_children: 'all' };
    await admin.result('grant_user_permission_to_repo_group', args);
    expect(await levelsOf(user, own)).toMatchObject({ [own.open]: 'repository.write' });
    const membersOf = async (repoid: string) =>
      (await admin.result<{ members: { permission: string }[] }>('get_repo', { repoid })).members;
    expect(await membersOf(own.open)).toMatchObject([{ username: 'default', permission: 'repository.write' }]);
    expect(await membersOf(own.closed)).toMatchObject([{ username: 'default', permission: 'repository.none' }]);
  });
});

describe('refusals', () => {
  it('of permissions of another kind and of unknown ones', async () => {
    const args = { repogroupid: tree.top, userid: 'admin' };
    const call = (perm: unknown) => admin.error('grant_user_permission_to_repo_group', { ...args, perm });
    for (const perm of ['repository.read', 'usergroup.admin', 'hg.admin', 'hg.create.repository']) {
      expect(await call(perm)).toBe(`permission \`${perm}\` is invalid, should start with group.`);
    }
    for (const perm of ['x', '', 'group', 'group.', 'group.read.', 'Group.read', 'hg.x', 'repository.x']) {
      expect(await call(perm)).toBe(`permission \`${perm}\` does not exist`);
    }
    expect(await call(null)).toBe('permission `None` does not exist');
  });

  it('of an unknown group, user or user group, and of a wrong apply_to_children', async () => {
    const call = (args: object) => admin.error('grant_user_permission_to_repo_group', { perm: 'group.read', ...args });
    expect(await call({ repogroupid: 'gone', userid: 'ghost' })).toBe('repository group `gone` does not exist');
    expect(await call({ repogroupid: tree.top, userid: 'ghost', perm: 'x' })).toBe('user `ghost` does not exist');
    const toGroup = { repogroupid: tree.top, usersgroupid: 'ghosts' };
    expect(await admin.error('grant_user_group_permission_to_repo_group', { ...toGroup, perm: 'x' })).toBe(
      'permission `x` does not exist',
    );
    expect(await admin.error('revoke_user_group_permission_from_repo_group', toGroup)).toBe(
      'user group `ghosts` does not exist',
    );
    for (const apply_to_children of ['some', '', 1]) {
      expect(await call({ repogroupid: tree.top, userid: 'admin', apply_to_children })).toBe(
        'Invalid value for `apply_to_children`: must be `none`, `repos`, `groups` or `all`',
      );
    }
  });

  it('B10 the group is answered as missing to a caller without admin on it; admin on it is sufficient', async () => {
    const { top: repogroupid } = await makeTree();
    const [user, other] = [await makeUser(), await makeUser()];
    const usersgroupid = await makeUserGroup();
    const calls: [string, Record<string, unknown>][] = [
      ['grant_user_permission_to_repo_group', { userid: other.username, perm: 'group.read' }],
      ['revoke_user_permission_from_repo_group', { userid: other.username }],
      ['grant_user_group_permission_to_repo_group', { usersgroupid, perm: 'group.read' }],
      ['revoke_user_group_permission_from_repo_group', { usersgroupid }],
    ];
    const toUser = (perm: string) =>
      admin.result('grant_user_permission_to_repo_group', { repogroupid, userid: user.username, perm });
    await toUser('group.write');
    for (const [method, args] of calls) {
      expect(await user.client.error(method, { repogroupid, ...args })).toBe(
        `repository group \`${repogroupid}\` does not exist`,
      );
    }
    await toUser('group.admin');
    for (const [method, args] of calls) await user.client.result(method, { repogroupid, ...args });
  });
});
