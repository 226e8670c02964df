import { describe, expect, it } from 'vitest';
import { admin, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';

describe('update_user', () => {
  it('changes only the given values, and not the key', async () => {
    const { id, username, client } = await makeUser({ firstname: 'Ann', lastname: 'Ny' });
    const renamed = uniqueName('renamed');
    expect(await admin.result('update_user', { userid: username, username: renamed, firstname: 'Anna' })).toEqual({
      msg: `updated user ID:${id} ${renamed}`,
      user: {
        user_id: id,
        username: renamed,
        firstname: 'Anna',
        lastname: 'Ny',
        email: `${username}@example.com`,
        emails: [],
        active: true,
        admin: false,
        ldap_dn: null,
        last_login: null,
        api_key: client.apiKey,
      },
    });
  });

  it('changes the primary address, also to an additional one of the user', async () => {
    const { id, username } = await makeUser();
    const email = `second-${username}@example.com`;
    await sql`insert into user_emails (user_id, email, email_key) values (${id}, ${email}, ${email})`;
    const { user } = await admin.result<{ user: object }>('update_user', { userid: id, email });
    expect(user).toMatchObject({ email, emails: [] });
  });

  it('B5 an inactive user is refused at once, and accepted again when active', async () => {
    const { id, client } = await makeUser();
    await client.result('get_user');
    await admin.result('update_user', { userid: id, active: 'no' });
    expect(await client.error('get_user')).toBe('Invalid API key');
    await admin.result('update_user', { userid: id, active: true });
    await client.result('get_user');
  });

  it('refuses a name or address that is taken', async () => {
    const [one, other] = [await makeUser(), await makeUser()];
    const failed = `failed to update user \`${one.username}\``;
    expect(await admin.error('update_user', { userid: one.username, username: other.username.toUpperCase() })).toBe(
      failed,
    );
    expect(await admin.error('update_user', { userid: one.username, email: `${other.username}@example.com` })).toBe(
      failed,
    );
    expect(await admin.error('update_user', { userid: one.username, username: '12' })).toBe(failed);
    expect(await admin.result('get_user', { userid: one.username })).toMatchObject({
      email: `${one.username}@example.com`,
    });
  });

  it('refuses to change `default`', async () => {
    expect(await admin.error('update_user', { userid: 'default', active: false })).toBe(
      'editing default user is forbidden',
    );
  });

  it('refuses an unknown user', async () => {
    expect(await admin.error('update_user', { userid: 'ghost' })).toBe('user `ghost` does not exist');
  });
});

describe('delete_user', () => {
  it('by an administrator: deletes the user and the key', async () => {
    const { id, username, client } = await makeUser();
    await client.result('get_user');
    expect(await admin.result('delete_user', { userid: username })).toEqual({
      msg: `deleted user ID:${id} ${username}`,
      user: null,
    });
    expect(await admin.result('get_user', { userid: username })).toBeNull();
    expect(await client.error('get_user')).toBe('Invalid API key');
  });

  it('B11 refuses to delete a user who owns something', async () => {
    const { id, username, client } = await makeUser();
    const repo_name = uniqueName('owned');
    await client.result('create_repo', { repo_name });
    const failed = `failed to delete user ID:${id} ${username}`;
    expect(await admin.error('delete_user', { userid: username })).toBe(failed);
    await admin.result('delete_repo', { repoid: repo_name });
    await admin.result('create_user_group', { group_name: repo_name, owner: username });
    expect(await admin.error('delete_user', { userid: id })).toBe(failed);
  });

  it('refuses to delete `default`', async () => {
    expect(await admin.error('delete_user', { userid: 'default' })).toMatch(/^failed to delete user ID:\d+ default$/);
  });
});
