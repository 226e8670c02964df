import { createHash } from 'node:crypto';
import { AuthenticationError, type Caller } from '@trunkline/contracts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { ip, openEndpoints, password, type Endpoints } from '../harness/endpoints.ts';

const invalid = new AuthenticationError('Invalid username or password');

let cluster: Cluster;
let endpoints: Endpoints;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  endpoints = await openEndpoints(cluster);
});
afterAll(async () => {
  await endpoints.close();
  await cluster.stop();
});

describe('update_account', () => {
  it('changes names and address of the caller, and nothing else', async () => {
    const user = await endpoints.makeUser();
    const { caller } = await endpoints.enterAs(user);
    const args = {
      firstname: 'Ann',
      email: `New-${user.email}`,
      username: 'root',
      admin: true,
      active: false,
      userid: 1,
    };
    expect(await endpoints.ask(caller, 'update_account', args)).toEqual({
      result: { success: true, msg: `updated user \`${user.username}\`` },
    });
    expect(await endpoints.admin.result('get_user', { userid: user.userId })).toMatchObject({
      username: user.username,
      firstname: 'Ann',
      lastname: null,
      email: `new-${user.email}`.toLowerCase(),
      admin: false,
      active: true,
    });
  });

  it('refuses the e-mail address of another user', async () => {
    const [user, other] = [await endpoints.makeUser(), await endpoints.makeUser()];
    const { caller } = await endpoints.enterAs(user);
    const email = other.email.toUpperCase();
    expect(await endpoints.ask(caller, 'update_account', { email, firstname: 'Ann' })).toEqual({
      error: `email \`${email}\` already exist`,
    });
    expect(await endpoints.admin.result('get_user', { userid: user.userId })).toMatchObject({ firstname: null });
  });

  it('is no method of the API', async () => {
    expect(await endpoints.admin.error('update_account')).toBe('No such method: update_account');
    expect(await endpoints.admin.error('change_password')).toBe('No such method: change_password');
  });
});

describe('change_password', () => {
  const change = (caller: Caller, current: string, next: string) =>
    endpoints.ask(caller, 'change_password', { current_password: current, new_password: next });

  it('B5 ends the caller’s other sessions and the old password', async () => {
    const user = await endpoints.makeUser();
    const [here, there] = [await endpoints.enterAs(user), await endpoints.enterAs(user)];
    expect(await change(here.caller, password, 'battery staple')).toEqual({
      result: { success: true, msg: `changed password of user \`${user.username}\`` },
    });
    expect(await endpoints.sessions.findSession(here.token)).not.toBeNull();
    expect(await endpoints.sessions.findSession(there.token)).toBeNull();
    await expect(endpoints.enter(user.username)).rejects.toThrow(invalid);
    await expect(endpoints.enter(user.username, 'battery staple')).resolves.toBeDefined();
  });

  it('B13 refuses a wrong password, and new ones that are too short or too long', async () => {
    const user = await endpoints.makeUser();
    const { caller } = await endpoints.enterAs(user);
    const wrong = { error: 'Invalid value for `current_password`: is wrong' };
    expect(await change(caller, 'wrong', 'battery staple')).toEqual(wrong);
    expect(await change(caller, '', 'battery staple')).toEqual(wrong);
    expect(await change(caller, password, 'x'.repeat(7))).toEqual({
      error: 'Invalid value for `new_password`: must be at least 8 characters',
    });
    expect(await change(caller, password, 'x'.repeat(1_001))).toEqual({
      error: 'Invalid value for `new_password`: must be at most 1000 characters',
    });
    await expect(endpoints.enter(user.username)).resolves.toBeDefined();
  });

  it('lets one of two concurrent calls change the password', async () => {
    const user = await endpoints.makeUser();
    const { caller } = await endpoints.enterAs(user);
    const words = ['battery staple', 'horse correct'];
    const answers = await Promise.all(words.map((next) => change(caller, password, next)));
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1);
  });

  it('refuses a user whose password is in LDAP', async () => {
    const user = await endpoints.makeUser({ ldap_dn: 'uid=ann,dc=example,dc=com' });
    const { caller } = await endpoints.enterAs(user);
    expect(await change(caller, password, 'battery staple')).toEqual({
      error: 'Your password is kept in the directory and changed there',
    });
  });

  it('B14 leaves no password in log and audit log', async () => {
    const user = await endpoints.makeUser();
    const { caller } = await endpoints.enterAs(user);
    await change(caller, 'not-my-password', 'never-to-be-seen');
    await change(caller, password, 'never-to-be-seen');
    const rows = await endpoints.sql`select args, outcome from audit_log where actor_id = ${user.userId} order by id`;
    const args = { current_password: '*****', new_password: '*****' };
    expect(rows).toEqual([
      { args, outcome: 'failed' },
      { args, outcome: 'succeeded' },
    ]);
    expect(await cluster.logs()).not.toMatch(/not-my-password|never-to-be-seen/);
  });
});

describe('upgrade_password', () => {
  const fingerprintOf = async (userId: number) => {
    const [row] = await endpoints.sql<{ fingerprint: string }[]>`
      select encode(sha256(convert_to(concat(password_hash, ' ', ldap_dn), 'UTF8')), 'hex') as fingerprint
      from users where id = ${userId}`;
    return row?.fingerprint ?? '';
  };
  const upgrade = (userId: number, fingerprint: string, word: string) =>
    endpoints.ask({ userId, ip, credential: { kind: 'password', fingerprint } }, 'upgrade_password', {
      password: word,
    });

  it('E16 replaces a hash of another program when the password is right, and no other', async () => {
    const { userId, username } = await endpoints.makeUser();
    const own = await fingerprintOf(userId);
    expect(await upgrade(userId, own, password)).toEqual({ error: 'The password hash is not one of another program' });
    expect(await fingerprintOf(userId)).toBe(own);

    const foreign = createHash('sha256').update(password).digest('hex');
    await endpoints.sql`update users set password_hash = ${foreign} where id = ${userId}`;
    const former = await fingerprintOf(userId);
    expect(await upgrade(userId, former, 'of my choice')).toEqual({ error: 'Invalid value for `password`: is wrong' });
    expect(await fingerprintOf(userId)).toBe(former);
    expect(await upgrade(userId, former, password)).toMatchObject({ result: { success: true } });
    const [row] = await endpoints.sql<{ hash: string }[]>`select password_hash as hash from users where id = ${userId}`;
    expect(row?.hash).toMatch(/^\$argon2id\$/);
    await endpoints.enter(username);
  });
});
