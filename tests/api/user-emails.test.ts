import { describe, expect, it } from 'vitest';
import { admin, makeUser, sql, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

const notSelf = 'userid is not the same as your user';

function addressesOf({ client }: TestUser): Promise<{ email: string; emails: string[] }> {
  return client.result('get_user');
}

describe('add_user_email', () => {
  it('by the user: adds addresses in lower case, listed in the order in which they were added', async () => {
    const ann = await makeUser();
    const [first, second] = [`z-${ann.username}@example.com`, `a-${ann.username}@example.com`];
    expect(await ann.client.result('add_user_email', { email: ` ${first.toUpperCase()} ` })).toEqual({
      success: true,
      msg: `added email \`${first}\` to user \`${ann.username}\``,
    });
    await ann.client.result('add_user_email', { email: second, userid: ann.id });
    expect(await addressesOf(ann)).toMatchObject({
      email: `${ann.username}@example.com`,
      emails: [first, second],
    });
  });

  it('by an administrator: adds an address to any user', async () => {
    const ann = await makeUser();
    const email = `2-${ann.username}@example.com`;
    await admin.result('add_user_email', { userid: ann.username, email });
    expect(await addressesOf(ann)).toMatchObject({ emails: [email] });
  });

  it('by another user: refused, and changes nothing', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    const email = `2-${ann.username}@example.com`;
    for (const userid of [ann.id, ann.username, 'default', 'ghost']) {
      expect(await bob.client.error('add_user_email', { userid, email })).toBe(notSelf);
    }
    expect(await addressesOf(ann)).toMatchObject({ emails: [] });
  });

  it('refuses an address that a user has, primary or not, in any case', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    const second = `straße-${ann.username}@example.com`;
    await ann.client.result('add_user_email', { email: second });
    const refusal = (email: string) => `email \`${email}\` already exist`;
    for (const email of [`${ann.username}@example.com`, second]) {
      for (const { client } of [ann, bob]) {
        for (const sent of [email, email.toUpperCase(), ` ${email}`]) {
          expect(await client.error('add_user_email', { email: sent })).toBe(refusal(sent));
        }
      }
      const username = uniqueName('taken');
      expect(await admin.error('create_user', { username, email })).toBe(refusal(email));
    }
    expect(await addressesOf(bob)).toMatchObject({ emails: [] });
  });

  it('gives an address to one of two users who add it at once', async () => {
    const both = [await makeUser(), await makeUser()];
    const email = `race-${both[0]?.username}@example.com`;
    const replies = await Promise.all(both.map(({ client }) => client.call('add_user_email', { email })));
    expect(replies.map(({ error }) => error).filter((error) => error !== null)).toEqual([
      `email \`${email}\` already exist`,
    ]);
  });

  it.each(['', 'x', '@', 'a b@c', 7, null])('refuses %j as an address', async (email) => {
    const { client } = await makeUser();
    expect(await client.error('add_user_email', { email })).toMatch(/^Invalid value for `email`: must be/);
  });

  it('bounds how many addresses a user has', async () => {
    const ann = await makeUser();
    const addressOf = (name: string) => `${name}-${ann.username}@example.com`;
    await sql`insert into user_emails (user_id, email, email_key)
      select ${ann.id}, email, email from (select n || ${addressOf('')} as email from generate_series(1, 98) n) made`;
    const sent = ['A', 'B', 'C'].map(addressOf);
    const made = await Promise.all(sent.map((email) => ann.client.call('add_user_email', { email })));
    const added = made.findIndex(({ error }) => error === null);
    const refusal = (email: string) =>
      `email \`${email}\` cannot be added: user \`${ann.username}\` has 100 addresses already`;
    expect(made.map(({ error }) => error)).toEqual(sent.map((email, at) => (at === added ? null : refusal(email))));
    expect((await addressesOf(ann)).emails).toHaveLength(99);
    // Another primary address replaces the former one, and where one was removed another may be added.
    await admin.result('update_user', { userid: ann.id, email: addressOf('primary') });
    await ann.client.result('remove_user_email', { email: sent[added] });
    await admin.result('add_user_email', { userid: ann.id, email: addressOf('D') });
    expect(await admin.error('add_user_email', { userid: ann.id, email: addressOf('E') })).toBe(
      refusal(addressOf('E')),
    );
  });

  it('refuses `default` and unknown users', async () => {
    const email = `${uniqueName('nobody')}@example.com`;
    expect(await admin.error('add_user_email', { userid: 'default', email })).toBe('editing default user is forbidden');
    expect(await admin.error('add_user_email', { userid: 'ghost', email })).toBe('user `ghost` does not exist');
  });
});

describe('remove_user_email', () => {
  it('is allowed to the user and to administrators', async () => {
    const ann = await makeUser();
    const [first, second] = [`1-${ann.username}@example.com`, `2-${ann.username}@example.com`];
    for (const email of [first, second]) await ann.client.result('add_user_email', { email });
    expect(await ann.client.result('remove_user_email', { email: first.toUpperCase() })).toEqual({
      success: true,
      msg: `removed email \`${first}\` from user \`${ann.username}\``,
    });
    expect(await addressesOf(ann)).toMatchObject({ emails: [second] });
    await admin.result('remove_user_email', { userid: ann.id, email: second });
    expect(await addressesOf(ann)).toMatchObject({ emails: [] });
    // The removed address is free again.
    await (await makeUser()).client.result('add_user_email', { email: first });
  });

  it('refuses to remove the primary address', async () => {
    const ann = await makeUser();
    const email = `${ann.username}@example.com`;
    const text = `email \`${email}\` is the primary address of user \`${ann.username}\``;
    expect(await ann.client.error('remove_user_email', { email: email.toUpperCase() })).toBe(text);
    expect(await admin.error('remove_user_email', { userid: ann.id, email })).toBe(text);
    expect(await addressesOf(ann)).toMatchObject({ email });
  });

  it('another user’s address is not removed', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    const email = `2-${ann.username}@example.com`;
    await ann.client.result('add_user_email', { email });
    expect(await bob.client.result('remove_user_email', { email })).toEqual({
      success: false,
      msg: `user \`${bob.username}\` has no email \`${email}\``,
    });
    expect(await bob.client.error('remove_user_email', { userid: ann.id, email })).toBe(notSelf);
    expect(await addressesOf(ann)).toMatchObject({ emails: [email] });
  });

  it('refuses `default` and unknown users', async () => {
    const email = 'anonymous@localhost';
    expect(await admin.error('remove_user_email', { userid: 'default', email })).toBe(
      'editing default user is forbidden',
    );
    expect(await admin.error('remove_user_email', { userid: 'ghost', email })).toBe('user `ghost` does not exist');
  });
});
