import { describe, expect, it } from 'vitest';
import { admin, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';

const emailOf = (username: string) => `${username}@example.com`;

describe('create_user', () => {
  it('by an administrator: returns message and record, without key and addresses', async () => {
    const username = uniqueName('ann');
    const result = await admin.result('create_user', {
      username,
      email: emailOf(username).toUpperCase(),
      password: 'secret1',
      firstname: 'Ann',
      ldap_dn: 'uid=ann,dc=example,dc=com',
    });
    expect(result).toEqual({
      msg: `created new user \`${username}\``,
      user: {
        user_id: expect.any(Number),
        username,
        firstname: 'Ann',
        lastname: null,
        email: emailOf(username),
        emails: [],
        active: true,
        admin: false,
        ldap_dn: 'uid=ann,dc=example,dc=com',
        last_login: null,
      },
    });
  });

  it('stores the password as argon2id, and returns it in no reply', async () => {
    const username = uniqueName('pass');
    const reply = await admin.call('create_user', { username, email: emailOf(username), password: 'hunter2 hunter2' });
    expect(JSON.stringify(reply)).not.toContain('hunter2');
    const [row] = await sql`select password_hash from users where username = ${username}`;
    expect(row?.['password_hash']).toMatch(/^\$argon2id\$/);
  });

  it('B2 the key is not in the database in plain text', async () => {
    const { client, username } = await makeUser();
    const rows =
      await sql`select k::text as text from api_keys k join users u on u.id = k.user_id where u.username = ${username}`;
    expect(rows).toHaveLength(1);
    expect(String(rows[0]?.['text'])).not.toContain(client.apiKey);
    expect(String(rows[0]?.['text'])).not.toContain(Buffer.from(client.apiKey).toString('hex'));
  });

  it('accepts booleans as words', async () => {
    const username = uniqueName('words');
    const { user } = await admin.result<{ user: { active: boolean; admin: boolean } }>('create_user', {
      username,
      email: emailOf(username),
      active: 'False',
      admin: 'Yes',
    });
    expect(user).toMatchObject({ active: false, admin: true });
    expect(await admin.error('create_user', { username: 'x', email: 'x@y', active: 'maybe' })).toBe(
      'Invalid value for `active`: must be a boolean',
    );
  });

  it('extern_type ldap fills ldap_dn', async () => {
    const username = uniqueName('ext');
    const { user } = await admin.result<{ user: { ldap_dn: string } }>('create_user', {
      username,
      email: emailOf(username),
      extern_type: 'ldap',
      extern_name: 'uid=ext',
    });
    expect(user.ldap_dn).toBe('uid=ext');
  });

  it('reports missing arguments in the order of their declaration', async () => {
    expect(await admin.error('create_user', {})).toBe('Missing non optional `username` arg in JSON DATA');
    expect(await admin.error('create_user', { username: 'x' })).toBe('Missing non optional `email` arg in JSON DATA');
  });

  it('refuses a name or e-mail address that is taken, in any case', async () => {
    const username = uniqueName('Straße');
    await admin.result('create_user', { username, email: emailOf(username) });
    for (const again of [username, username.toUpperCase(), username.toLowerCase()]) {
      const text = await admin.error('create_user', { username: again, email: 'other@example.com' });
      expect(text).toBe(`user \`${again}\` already exist`);
    }
    const email = emailOf(username).toUpperCase();
    expect(await admin.error('create_user', { username: uniqueName('x'), email })).toBe(
      `email \`${email}\` already exist`,
    );
    expect(await admin.error('create_user', { username: 'default', email: 'd@example.com' })).toBe(
      'user `default` already exist',
    );
  });

  it('creates one user in concurrent calls of one name', async () => {
    const username = uniqueName('race');
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => admin.call('create_user', { username, email: `${index}${username}@x` })),
    );
    expect(replies.filter(({ error }) => error === null)).toHaveLength(1);
    const refused = replies.flatMap(({ error }) => (error === null ? [] : [error]));
    expect(new Set(refused)).toEqual(new Set([`user \`${username}\` already exist`]));
  });

  it.each(['1234', '-x', 'a b', 'a/b', '', 'new_user', 'x'.repeat(256), '.hidden', 'e\u0301tienne'])(
    'refuses the username %j',
    async (username) => {
      const text = await admin.error('create_user', { username, email: emailOf(uniqueName('bad')) });
      expect(text.startsWith(`failed to create user \`${username}\`: `)).toBe(true);
    },
  );

  it.each([
    ['username', 7],
    ['username', null],
    ['username', 'a\0b'],
    ['email', 'no address'],
    ['email', null],
    ['password', 12],
    ['password', 'x'.repeat(1_000_000)],
    ['firstname', ['a']],
    ['lastname', '\ud800'],
    ['ldap_dn', {}],
    ['admin', 2],
  ])('A7 wrong value for %s', async (name, value) => {
    const username = uniqueName('wrong');
    const body = { username, email: emailOf(username), [name]: value };
    expect(await admin.error('create_user', body)).toMatch(new RegExp(`^Invalid value for \`${name}\`: `));
    expect(await admin.result('get_user', { userid: username })).toBeNull();
  });

  it('is refused without permission', async () => {
    const { client } = await makeUser();
    expect(await client.error('create_user', { username: uniqueName('x'), email: 'x@y' })).toBe(
      'Access was denied to this resource.',
    );
  });
});
