import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { inSession, ip, openEndpoints, type Endpoints } from '../harness/endpoints.ts';

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

describe('a caller', () => {
  it('B7 is refused with the session or key of another user', async () => {
    const [user, other] = [await endpoints.makeUser(), await endpoints.makeUser()];
    const { sessionId } = await endpoints.enterAs(user);
    expect(await endpoints.ask(inSession(other.userId, sessionId), 'get_user')).toEqual({ error: 'Session has ended' });
    const keyId = await endpoints.numberFrom(`select id from api_keys where user_id = ${user.userId}`);
    expect(
      await endpoints.ask({ userId: other.userId, ip, credential: { kind: 'key', id: keyId } }, 'get_user'),
    ).toEqual({
      error: 'Invalid API key',
    });
    const anonymous = { userId: user.userId, ip, credential: { kind: 'anonymous' } } as const;
    expect(await endpoints.ask(anonymous, 'get_user')).toEqual({ error: 'Sign in first' });
  });

  it('B12 is refused from an address outside the user’s networks, in a session, too', async () => {
    const user = await endpoints.makeUser();
    const { caller } = await endpoints.enterAs(user);
    expect(await endpoints.ask({ ...caller, ip: '192.0.2.1' }, 'get_user')).toMatchObject({
      result: { user_id: user.userId },
    });
    await endpoints.admin.result('add_user_ip', { userid: user.username, ip });
    expect(await endpoints.ask({ ...caller, ip: '192.0.2.1' }, 'get_user')).toEqual({
      error: 'request from IP:192.0.2.1 not allowed',
    });
  });

  it('B7 without a credential may read as `default`, and change nothing', async () => {
    const userId = await endpoints.numberFrom(`select id from users where username_key = 'default'`);
    const anonymous = { userId, ip, credential: { kind: 'anonymous' } } as const;
    expect(await endpoints.ask(anonymous, 'get_user')).toMatchObject({ result: { username: 'default' } });
    const denied = { error: 'Access was denied to this resource.' };
    const audited = await endpoints.numberFrom('select count(*)::int from audit_log');
    expect(await endpoints.ask(anonymous, 'add_user_email', { email: 'x@example.com' })).toEqual(denied);
    expect(await endpoints.ask(anonymous, 'get_users')).toEqual(denied);
    expect(await endpoints.ask(anonymous, 'create_api_key')).toEqual(denied);
    expect(await endpoints.numberFrom('select count(*)::int from audit_log')).toBe(audited);
  });

  it('B7 `default` has neither key nor session', async () => {
    const userId = await endpoints.numberFrom(`select id from users where username_key = 'default'`);
    const keyId = await endpoints.numberFrom(`select id from api_keys where user_id = ${userId}`);
    expect(await endpoints.ask({ userId, ip, credential: { kind: 'key', id: keyId } }, 'get_user')).toEqual({
      error: 'Invalid API key',
    });
    const sessionId = await endpoints.numberFrom(`insert into sessions (user_id, mac, expires_at, ip)
      values (${userId}, 'x', now() + interval '1 hour', '') returning id`);
    expect(await endpoints.ask(inSession(userId, sessionId), 'get_user')).toEqual({ error: 'Session has ended' });
  });
});
