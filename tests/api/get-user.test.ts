import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, sql } from '../harness/shared-cluster.ts';

interface UserReply {
  readonly user_id: number;
  readonly username: string;
  readonly api_key: string;
  readonly ip_addresses: string[];
  readonly emails: string[];
  readonly permissions: {
    readonly global: string[];
    readonly repositories: Record<string, string>;
    readonly repositories_groups: Record<string, string>;
    readonly user_groups: Record<string, string>;
  };
}

describe('get_user', () => {
  it('returns any user, by id, digits or name, to an administrator', async () => {
    const { id, username, client } = await makeUser({ lastname: 'Ny' });
    for (const userid of [id, String(id), username]) {
      const user = await admin.result<UserReply>('get_user', { userid });
      expect(user).toMatchObject({ user_id: id, username, api_key: client.apiKey, ip_addresses: [], emails: [] });
    }
  });

  it('without argument: returns the caller, with the caller’s key', async () => {
    const { id, client } = await makeUser();
    expect(await client.result<UserReply>('get_user')).toMatchObject({ user_id: id, api_key: client.apiKey });
  });

  it('a regular user may name only the own user, in any form', async () => {
    const { id, username, client } = await makeUser();
    for (const userid of [id, String(id), username]) {
      expect(await client.result<UserReply>('get_user', { userid })).toMatchObject({ user_id: id });
    }
    for (const userid of ['admin', 'nobody-of-this-name', 1, 99_999_999]) {
      expect(await client.error('get_user', { userid })).toBe('userid is not the same as your user');
    }
  });

  it('returns null for an unknown user', async () => {
    for (const userid of ['no-such-user', '99999999', 99_999_999, -1, 1e20, '9'.repeat(40)]) {
      expect(await admin.result('get_user', { userid })).toBeNull();
    }
  });

  it.each([true, 1.5, [], {}, 'a\0b', 'x'.repeat(300)])('refuses a userid of the wrong type: %j', async (userid) => {
    expect(await admin.error('get_user', { userid })).toMatch(/^Invalid value for `userid`: /);
  });

  it('returns the permissions of a regular user', async () => {
    const { client } = await makeUser();
    const name = await makeRepository('git');
    const hidden = await makeRepository('hg', { private: true });
    const { permissions } = await client.result<UserReply>('get_user');
    expect(permissions.global).toEqual([
      'group.read',
      'hg.create.repository',
      'hg.fork.repository',
      'hg.register.manual_activate',
      'repository.read',
      'usergroup.read',
    ]);
    expect(permissions.repositories[name]).toBe('repository.read');
    expect(Object.keys(permissions.repositories)).not.toContain(hidden);
  });

  it('returns the permissions of a regular user to an administrator', async () => {
    const { username } = await makeUser();
    const hidden = await makeRepository('hg', { private: true });
    const { permissions } = await admin.result<UserReply>('get_user', { userid: username });
    expect(permissions.repositories[hidden]).toBe('repository.none');
  });

  it('returns the permissions of an administrator', async () => {
    const name = await makeRepository('git', { private: true });
    const { permissions } = await admin.result<UserReply>('get_user');
    expect(permissions.global).toContain('hg.admin');
    expect(permissions.repositories[name]).toBe('repository.admin');
  });

  it('returns additional addresses and networks', async () => {
    const { id, username, client } = await makeUser();
    await sql`insert into user_emails (user_id, email, email_key) values (${id}, ${`2${username}@x`}, ${`2${username}@x`})`;
    await sql`insert into user_ip_addresses (user_id, ip_addr) values (${id}, '127.0.0.0/8')`;
    expect(await client.result<UserReply>('get_user')).toMatchObject({
      emails: [`2${username}@x`],
      ip_addresses: ['127.0.0.0/8'],
    });
  });
});
