import { describe, expect, it } from 'vitest';
import { admin, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';

const methods = ['grant_global_permission', 'revoke_global_permission'];
const perm = 'hg.create.repository';

async function ofUser(id: number): Promise<string[]> {
  const rows = await sql<{ permission: string }[]>`
    select permission from user_global_permissions where user_id = ${id} order by permission`;
  return rows.map(({ permission }) => permission);
}

async function ofGroup(name: string): Promise<string[]> {
  const rows = await sql<{ permission: string }[]>`select permission from user_group_global_permissions
    join user_groups on id = user_group_id where name = ${name} order by permission`;
  return rows.map(({ permission }) => permission);
}

describe('grant_global_permission and revoke_global_permission', () => {
  it('to a user, each right for itself, and once', async () => {
    const { id, username } = await makeUser();
    for (const one of [perm, 'hg.fork.repository', perm]) {
      expect(await admin.result('grant_global_permission', { perm: one, userid: username })).toEqual({
        msg: `Granted perm: \`${one}\` for user: \`${username}\``,
        success: true,
      });
    }
    expect(await ofUser(id)).toEqual([perm, 'hg.fork.repository']);
    expect(await admin.result('revoke_global_permission', { perm, userid: id })).toEqual({
      msg: `Revoked perm: \`${perm}\` for user: \`${username}\``,
      success: true,
    });
    expect(await ofUser(id)).toEqual(['hg.fork.repository']);
  });

  it('to a user group, under both names of the argument', async () => {
    const name = uniqueName('group');
    await admin.result('create_user_group', { group_name: name });
    expect(await admin.result('grant_global_permission', { perm, usersgroupid: name })).toEqual({
      msg: `Granted perm: \`${perm}\` for user group: \`${name}\``,
      success: true,
    });
    expect(await ofGroup(name)).toEqual([perm]);
    expect(await admin.result('revoke_global_permission', { perm, usergroupid: name })).toEqual({
      msg: `Revoked perm: \`${perm}\` for user group: \`${name}\``,
      success: true,
    });
    expect(await ofGroup(name)).toEqual([]);
  });

  it('revoking what was never granted succeeds', async () => {
    const { username } = await makeUser();
    const reply = await admin.call('revoke_global_permission', { perm, userid: username });
    expect(reply).toMatchObject({ error: null, result: { success: true } });
  });

  it.each(methods)('%s: exactly one of user and user group', async (method) => {
    expect(await admin.error(method, { perm, userid: 'admin', usersgroupid: 'some' })).toBe(
      'Invalid value for `usersgroupid`: `userid` is given, too',
    );
    for (const args of [{ perm }, { perm, userid: null, usersgroupid: null }]) {
      expect(await admin.error(method, args)).toBe('Invalid value for `userid`: it or `usersgroupid` must be given');
    }
  });

  it('B9 changes neither of two, whichever of them has an id that no user and no group can have', async () => {
    const { id } = await makeUser();
    const name = uniqueName('group');
    await admin.result('create_user_group', { group_name: name });
    await admin.result('grant_global_permission', { perm, userid: id });
    const both = [
      { userid: -1, usersgroupid: name },
      { userid: id, usersgroupid: 9_999_999_999 },
    ];
    for (const method of methods) {
      for (const named of both) {
        expect(await admin.error(method, { perm, ...named })).toBe(
          'Invalid value for `usersgroupid`: `userid` is given, too',
        );
      }
    }
    expect([await ofUser(id), await ofGroup(name)]).toEqual([[perm], []]);
  });

  it.each(methods)('%s: no other permission', async (method) => {
    const { id, username } = await makeUser();
    for (const other of ['hg.admin', 'repository.read', 'hg.register.auto_activate', 'HG.CREATE.REPOSITORY', '']) {
      expect(await admin.error(method, { perm: other, userid: username })).toBe(
        `permission \`${other}\` does not exist`,
      );
    }
    expect(await admin.error(method, { perm: null, userid: username })).toBe('permission `None` does not exist');
    expect(await ofUser(id)).toEqual([]);
  });

  it.each(methods)('%s: unknown user, unknown user group', async (method) => {
    expect(await admin.error(method, { perm, userid: 'ghost' })).toBe('user `ghost` does not exist');
    expect(await admin.error(method, { perm, usergroupid: 'ghosts' })).toBe('user group `ghosts` does not exist');
  });

  it.each(methods)('B10 %s: nobody grants their own user anything', async (method) => {
    const { id, client } = await makeUser();
    expect(await client.error(method, { perm, userid: id })).toBe('Access was denied to this resource.');
  });
});
