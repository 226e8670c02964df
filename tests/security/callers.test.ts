import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { inSession, ip, openDoors, type Doors } from '../harness/doors.ts';

let cluster: Cluster;
let doors: Doors;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  doors = await openDoors(cluster);
});
afterAll(async () => {
  await doors.close();
  await cluster.stop();
});

describe('a caller', () => {
  it('B7 is not who has somebody else’s session or key', async () => {
    const [user, other] = [await doors.makeUser(), await doors.makeUser()];
    const { sessionId } = await doors.enterAs(user);
    expect(await doors.ask(inSession(other.userId, sessionId), 'get_user')).toEqual({ error: 'Session has ended' });
    const keyId = await doors.number(`select id from api_keys where user_id = ${user.userId}`);
    expect(await doors.ask({ userId: other.userId, ip, credential: { kind: 'key', id: keyId } }, 'get_user')).toEqual({
      error: 'Invalid API key',
    });
    const anonymous = { userId: user.userId, ip, credential: { kind: 'anonymous' } } as const;
    expect(await doors.ask(anonymous, 'get_user')).toEqual({ error: 'Sign in first' });
  });

  it('B12 is refused from an address that is not his, in a session, too', async () => {
    const user = await doors.makeUser();
    const { caller } = await doors.enterAs(user);
    expect(await doors.ask({ ...caller, ip: '192.0.2.1' }, 'get_user')).toMatchObject({
      result: { user_id: user.userId },
    });
    await doors.admin.result('add_user_ip', { userid: user.username, ip });
    expect(await doors.ask({ ...caller, ip: '192.0.2.1' }, 'get_user')).toEqual({
      error: 'request from IP:192.0.2.1 not allowed',
    });
  });

  it('B7 who is nobody reads as `default`, and changes nothing', async () => {
    const userId = await doors.number(`select id from users where username_key = 'default'`);
    const anonymous = { userId, ip, credential: { kind: 'anonymous' } } as const;
    expect(await doors.ask(anonymous, 'get_user')).toMatchObject({ result: { username: 'default' } });
    const denied = { error: 'Access was denied to this resource.' };
    const audited = await doors.number('select count(*)::int from audit_log');
    expect(await doors.ask(anonymous, 'add_user_email', { email: 'x@example.com' })).toEqual(denied);
    expect(await doors.ask(anonymous, 'get_users')).toEqual(denied);
    expect(await doors.ask(anonymous, 'create_api_key')).toEqual(denied);
    expect(await doors.number('select count(*)::int from audit_log')).toBe(audited);
  });

  it('B7 `default` has neither key nor session', async () => {
    const userId = await doors.number(`select id from users where username_key = 'default'`);
    const keyId = await doors.number(`select id from api_keys where user_id = ${userId}`);
    expect(await doors.ask({ userId, ip, credential: { kind: 'key', id: keyId } }, 'get_user')).toEqual({
      error: 'Invalid API key',
    });
    const sessionId = await doors.number(`insert into sessions (user_id, mac, expires_at, ip)
      values (${userId}, 'x', now() + interval '1 hour', '') returning id`);
    expect(await doors.ask(inSession(userId, sessionId), 'get_user')).toEqual({ error: 'Session has ended' });
  });
});
