import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

interface Listed {
  readonly repo_name: string;
}

async function sees({ client }: TestUser, name: string): Promise<boolean> {
  return (await client.result<Listed[]>('get_repos')).some(({ repo_name }) => repo_name === name);
}

describe('grant_user_permission and revoke_user_permission', () => {
  it('grant, change and revoke a level, which applies at once', async () => {
    const user = await makeUser();
    const repoid = await makeRepository('git', { private: true });
    const args = { repoid, userid: user.username };
    for (const perm of ['repository.read', 'repository.write', 'repository.admin']) {
      expect(await admin.result('grant_user_permission', { ...args, perm })).toEqual({
        msg: `Granted perm: \`${perm}\` for user: \`${user.username}\` in repo: \`${repoid}\``,
        success: true,
      });
      expect(await sees(user, repoid)).toBe(true);
    }
    await admin.result('grant_user_permission', { ...args, perm: 'repository.none' });
    expect(await sees(user, repoid)).toBe(false);
    const revoked = {
      msg: `Revoked perm for user: \`${user.username}\` in repo: \`${repoid}\``,
      success: true,
    };
    expect(await admin.result('revoke_user_permission', args)).toEqual(revoked);
    expect(await admin.result('revoke_user_permission', args)).toEqual(revoked);
  });

  it('the level of `default` is that of everybody', async () => {
    const user = await makeUser();
    const repoid = await makeRepository('hg');
    await admin.result('grant_user_permission', { repoid, userid: 'default', perm: 'repository.none' });
    expect(await sees(user, repoid)).toBe(false);
  });

  it('report the first fault: repository, then user, then permission', async () => {
    const repoid = await makeRepository('hg');
    const call = (args: object) => admin.error('grant_user_permission', args);
    expect(await call({ repoid: 'gone', userid: 'ghost', perm: 'x' })).toBe('repository `gone` does not exist');
    expect(await call({ repoid, userid: 'ghost', perm: 'x' })).toBe('user `ghost` does not exist');
    for (const perm of ['x', 'hg.admin', 'group.read', 'repository.', 'Repository.read', 'repository.read.', '']) {
      expect(await call({ repoid, userid: 'admin', perm })).toBe(`permission \`${perm}\` does not exist`);
    }
    expect(await call({ repoid, userid: 'admin', perm: null })).toBe('permission `None` does not exist');
  });
});

describe('grant_user_group_permission and revoke_user_group_permission', () => {
  it('grant a level to members, and revoke it', async () => {
    const user = await makeUser();
    const repoid = await makeRepository('git', { private: true });
    const usersgroupid = uniqueName('devs');
    await admin.result('create_user_group', { group_name: usersgroupid });
    await admin.result('add_user_to_user_group', { usersgroupid, userid: user.username });
    const perm = 'repository.read';
    expect(await admin.result('grant_user_group_permission', { repoid, usersgroupid, perm })).toEqual({
      msg: `Granted perm: \`${perm}\` for user group: \`${usersgroupid}\` in repo: \`${repoid}\``,
      success: true,
    });
    expect(await sees(user, repoid)).toBe(true);
    expect(await admin.result('revoke_users_group_permission', { repoid, usergroupid: usersgroupid })).toEqual({
      msg: `Revoked perm for user group: \`${usersgroupid}\` in repo: \`${repoid}\``,
      success: true,
    });
    expect(await sees(user, repoid)).toBe(false);
  });

  it('report the first fault: repository, then permission, then group', async () => {
    const repoid = await makeRepository('hg');
    const call = (args: object) => admin.error('grant_users_group_permission', args);
    expect(await call({ repoid: 'gone', usersgroupid: 'ghosts', perm: 'x' })).toBe('repository `gone` does not exist');
    expect(await call({ repoid, usersgroupid: 'ghosts', perm: 'x' })).toBe('permission `x` does not exist');
    expect(await call({ repoid, usersgroupid: 'ghosts', perm: 'repository.read' })).toBe(
      'user group `ghosts` does not exist',
    );
    expect(await call({ repoid, perm: 'x' })).toBe('Missing non optional `usersgroupid` arg in JSON DATA');
  });
});

describe('B7 a user, a user group and a repository of one name', () => {
  it('are separate: a permission of one is not that of the others', async () => {
    const [user, member] = [await makeUser(), await makeUser()];
    const { username: shared } = user;
    await admin.result('create_user_group', { group_name: shared });
    await admin.result('add_user_to_user_group', { usersgroupid: shared, userid: member.username });
    await admin.result('create_repo', { repo_name: shared, private: true });
    const [forUser, forGroup] = [
      await makeRepository('git', { private: true }),
      await makeRepository('hg', { private: true }),
    ];
    const seen = async () => {
      const names = [forUser, forGroup, shared];
      const seenBy = async (one: TestUser) => Promise.all(names.map((name) => sees(one, name)));
      return { user: await seenBy(user), member: await seenBy(member) };
    };
    expect(await seen()).toEqual({ user: [false, false, false], member: [false, false, false] });
    const perm = 'repository.read';
    await admin.result('grant_user_permission', { repoid: forUser, userid: shared, perm });
    await admin.result('grant_user_group_permission', { repoid: forGroup, usersgroupid: shared, perm });
    expect(await seen()).toEqual({ user: [true, false, false], member: [false, true, false] });

    await admin.result('revoke_user_permission', { repoid: forGroup, userid: shared });
    await admin.result('revoke_user_group_permission', { repoid: forUser, usersgroupid: shared });
    expect(await seen()).toEqual({ user: [true, false, false], member: [false, true, false] });

    await admin.result('delete_user', { userid: shared });
    expect(await admin.result('get_user_group', { usersgroupid: shared })).toMatchObject({ group_name: shared });
    expect(await admin.result('get_repo', { repoid: shared })).toMatchObject({ repo_name: shared });
    expect(await sees(member, forGroup)).toBe(true);
    await admin.result('delete_repo', { repoid: shared });
    expect(await sees(member, forGroup)).toBe(true);
  });
});
