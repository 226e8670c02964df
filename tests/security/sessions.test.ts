import { AuthenticationError } from '@trunkline/contracts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { inSession, ip, openEndpoints, type Endpoints, type Person } from '../harness/endpoints.ts';
import { eventually } from '../harness/eventually.ts';

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

describe('signing in', () => {
  it('opens a session that workers accept', async () => {
    const user = await endpoints.makeUser();
    const before = Date.now() - 5_000;
    const { token, session } = await endpoints.enter(user.username.toLowerCase());
    expect(session).toMatchObject({ userId: user.userId, username: user.username });
    const found = await endpoints.sessions.findSession(token);
    expect(found).toMatchObject({ ...session, admin: false });
    const { result } = await endpoints.ask(inSession(user.userId, session.sessionId), 'get_user');
    expect(result).toMatchObject({ user_id: user.userId, username: user.username });
    const [row] = await endpoints.sql`select last_login from users where id = ${user.userId}`;
    expect(row?.['last_login'].getTime()).toBeGreaterThan(before);
  });

  it('B2 leaves no token in the database', async () => {
    const { token } = await endpoints.enterAs(await endpoints.makeUser());
    const rows = await endpoints.sql`select s::text as row, mac from sessions s`;
    for (const row of rows) {
      expect(row['row']).not.toContain(token);
      expect(Buffer.from(row['mac']).equals(Buffer.from(token, 'base64url'))).toBe(false);
    }
  });

  it('B3 is refused with one error text for any reason', async () => {
    const user = await endpoints.makeUser();
    const inactive = await endpoints.makeUser({ active: false });
    const { user: keyOnly } = await endpoints.admin.result<{ user: { username: string } }>('create_user', {
      username: 'key-only',
      email: 'key-only@example.com',
    });
    await expect(endpoints.enter(user.username, 'wrong')).rejects.toThrow(invalid);
    await expect(endpoints.enter('nobody')).rejects.toThrow(invalid);
    await expect(endpoints.enter(inactive.username)).rejects.toThrow(invalid);
    await expect(endpoints.enter(keyOnly.username, '')).rejects.toThrow(invalid);
    await expect(endpoints.enter('default', '')).rejects.toThrow(invalid);
  });

  it('B12 is refused from an address outside the user’s networks', async () => {
    const user = await endpoints.makeUser();
    await endpoints.admin.result('add_user_ip', { userid: user.username, ip: '192.0.2.0/24' });
    await expect(endpoints.enter(user.username)).rejects.toThrow(`request from IP:${ip} not allowed`);
  });

  it('keeps the hundred most recently used sessions', async () => {
    const user = await endpoints.makeUser();
    await endpoints.sql`insert into sessions (user_id, mac, expires_at, last_seen_at, ip)
      select ${user.userId}, decode(md5('m' || n), 'hex'), now() + interval '1 hour', now() - make_interval(mins => n), ''
      from generate_series(1, 105) n`;
    const { token } = await endpoints.enterAs(user);
    const [row] =
      await endpoints.sql`select count(*)::int as count, min(last_seen_at) > now() - interval '100 minutes' as recent
      from sessions where user_id = ${user.userId}`;
    expect(row).toEqual({ count: 100, recent: true });
    expect(await endpoints.sessions.findSession(token)).not.toBeNull();
  });
});

it('B4 the twenty newest addresses of a user are remembered, longer than sessions', async () => {
  const user = await endpoints.makeUser();
  const { userId } = user;
  await endpoints.sql`insert into sign_in_sources (user_id, source, signed_in_at)
    select ${userId}, '192.0.2.' || n, now() - make_interval(days => n) from generate_series(1, 25) n`;
  await endpoints.enterAs(user);
  await endpoints.sessions.endSessionsOf(userId);
  const rows = await endpoints.sql<{ source: string }[]>`
    select source from sign_in_sources where user_id = ${userId} order by signed_in_at desc`;
  const newest = Array.from({ length: 19 }, (_, index) => `192.0.2.${index + 1}`);
  expect(rows.map(({ source }) => source)).toEqual([ip, ...newest]);
  await endpoints.admin.result('delete_user', { userid: userId });
  expect(await endpoints.sql`select from sign_in_sources where user_id = ${userId}`).toHaveLength(0);
});

it('B4 an address is usual for its user alone, known to all names, and forgotten after ninety days', async () => {
  const [user, other] = [await endpoints.makeUser(), await endpoints.makeUser()];
  const find = async ({ username }: { username: string }, source: string) => {
    const found = await endpoints.signInStore.find(username.toLowerCase(), source);
    return [found.isKnownSource, found.user?.isUsualSource];
  };
  await endpoints.sql`insert into sign_in_sources (user_id, source, signed_in_at)
    values (${user.userId}, '203.0.113.1', now() - interval '89 days'),
      (${user.userId}, '203.0.113.2', now() - interval '91 days')`;
  expect(await find(user, '203.0.113.1')).toEqual([true, true]);
  expect(await find(other, '203.0.113.1')).toEqual([true, false]);
  expect(await find({ username: 'nobody' }, '203.0.113.1')).toEqual([true, undefined]);
  expect(await find(user, '203.0.113.2')).toEqual([false, false]);
});

describe('the end of a session', () => {
  const ended = { error: 'Session has ended' };

  it.each<[string, (user: Person) => Promise<unknown>]>([
    ['it ends', ({ userId }) => endpoints.sessions.endSessionsOf(userId)],
    ['its time is up', ({ userId }) => endpoints.sql`update sessions set expires_at = now() where user_id = ${userId}`],
    [
      'the user is deactivated',
      ({ userId }) => endpoints.admin.result('update_user', { userid: userId, active: false }),
    ],
    ['the user is deleted', ({ userId }) => endpoints.admin.result('delete_user', { userid: userId })],
    [
      'an administrator changes the password',
      ({ userId }) => endpoints.admin.result('update_user', { userid: userId, password: 'another password' }),
    ],
  ])('B5 is there for gateways and workers when %s', async (_, act) => {
    const [user, other] = [await endpoints.makeUser(), await endpoints.makeUser()];
    const [session, others] = [await endpoints.enterAs(user), await endpoints.enterAs(other)];
    await act(user);
    expect(await endpoints.sessions.findSession(session.token)).toBeNull();
    expect(await endpoints.ask(session.caller, 'get_user')).toEqual(ended);
    expect(await endpoints.sessions.findSession(others.token)).not.toBeNull();
  });

  it('B5 is final, also when the user is activated again', async () => {
    const user = await endpoints.makeUser();
    const { token } = await endpoints.enterAs(user);
    await endpoints.admin.result('update_user', { userid: user.userId, active: false });
    await endpoints.admin.result('update_user', { userid: user.userId, active: true });
    expect(await endpoints.sessions.findSession(token)).toBeNull();
  });

  it('is not caused by other changes of the user', async () => {
    const user = await endpoints.makeUser();
    const { token } = await endpoints.enterAs(user);
    await endpoints.admin.result('update_user', { userid: user.userId, firstname: 'Ann', active: true });
    expect(await endpoints.sessions.findSession(token)).not.toBeNull();
  });

  it('B5 refuses a sign-in of a user who is being deactivated', async () => {
    const user = await endpoints.makeUser();
    const deactivating = await endpoints.sql.reserve();
    await deactivating`begin`;
    await deactivating`update users set active = false where id = ${user.userId}`;
    const entering = endpoints.enter(user.username);
    entering.catch(() => {});
    const waiting = async () =>
      endpoints.numberFrom(`select count(*)::int from pg_stat_activity where wait_event_type = 'Lock'`);
    await eventually(waiting, (found) => found > 0);
    await deactivating`commit`;
    deactivating.release();
    await expect(entering).rejects.toThrow(invalid);
    expect(await endpoints.numberFrom(`select count(*)::int from sessions where user_id = ${user.userId}`)).toBe(0);
  });

  it('is postponed by each use, to fourteen days at most', async () => {
    const user = await endpoints.makeUser();
    const { token, sessionId } = await endpoints.enterAs(user);
    await endpoints.sql`update sessions set last_seen_at = now() - interval '2 minutes', expires_at = now() + interval '1 hour',
      created_at = now() - interval '13 days 12 hours' where id = ${sessionId}`;
    await endpoints.sessions.findSession(token);
    const hoursLeft = async () =>
      endpoints.numberFrom(
        `select round(extract(epoch from expires_at - now()) / 3600)::int from sessions where id = ${sessionId}`,
      );
    expect(await eventually(hoursLeft, (hours) => hours > 1)).toBe(12);
  });

  it('is followed by the deletion of the session by a sweep', async () => {
    const { sessionId } = await endpoints.enterAs(await endpoints.makeUser());
    const { sessionId: kept } = await endpoints.enterAs(await endpoints.makeUser());
    await endpoints.sql`update sessions set expires_at = now() where id = ${sessionId}`;
    const worker = await cluster.startWorker();
    await eventually(
      () => endpoints.numberFrom(`select count(*)::int from sessions where id = ${sessionId}`),
      (left) => left === 0,
    );
    await worker.stop();
    expect(await endpoints.numberFrom(`select count(*)::int from sessions where id = ${kept}`)).toBe(1);
  });
});
