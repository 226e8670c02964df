import { describe, expect, it } from 'vitest';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { createWebClient } from '../harness/web-client.ts';

const password = 'correct horse battery';

async function setUp() {
  const user = await makeUser({ password });
  return { ...user, web: createWebClient(cluster.baseUrl) };
}

describe('signing in', () => {
  it('a visitor without a session is redirected to the sign-in, which keeps the address', async () => {
    const { web } = await setUp();
    const { status, headers } = await web.get('/docs/files/tip?x=1');
    expect(status).toBe(302);
    expect(headers.get('location')).toBe(`/_admin/login?came_from=${encodeURIComponent('/docs/files/tip?x=1')}`);
  });

  it('an address of many kilobytes is not carried along, so that proxies pass the answer on', async () => {
    const { web, username } = await setUp();
    const redirect = await web.get(`/docs?x=${'%C3%BC'.repeat(1_000)}`);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/_admin/login']);
    const cameFrom = `/docs?x=${'a'.repeat(60_000)}`;
    const answer = await web.post('/_admin/login', { username, password, came_from: cameFrom });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/']);
  });

  it('the right password opens a session, and redirects to the address', async () => {
    const { web, username } = await setUp();
    const answer = await web.post('/_admin/login?came_from=/_admin/my_account', { username, password });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/_admin/my_account']);
    expect(answer.headers.get('set-cookie')).toMatch(/^trunkline_session=.*HttpOnly; SameSite=Lax/);
  });

  it('a primary e-mail address stands for the username, in upper or lower case', async () => {
    const { web, username } = await setUp();
    expect((await web.signIn(`${username}@Example.COM`.toUpperCase(), password)).status).toBe(302);
    expect((await web.get('/_admin/my_account')).text).toContain(username);
  });

  it('an additional address, and one of an inactive user, sign nobody in', async () => {
    const { id, username } = await setUp();
    const signIn = async (email: string) => (await createWebClient(cluster.baseUrl).signIn(email, password)).status;
    const additional = `${uniqueName('more')}@example.com`;
    await admin.result('add_user_email', { userid: id, email: additional });
    expect(await signIn(additional)).toBe(403);
    expect(await signIn(`${username}@example.com`)).toBe(302);
    await admin.result('update_user', { userid: id, active: false });
    expect(await signIn(`${username}@example.com`)).toBe(403);
  });

  it('a username is found before the same e-mail address of somebody else', async () => {
    const { username } = await setUp();
    const email = `${username}@example.com`;
    const others = { password: 'another password', email: `${uniqueName('other')}@example.com` };
    await admin.result('create_user', { username: email, ...others });
    const web = createWebClient(cluster.baseUrl);
    expect((await web.signIn(email, password)).status).toBe(403);
    expect((await web.signIn(email, others.password)).status).toBe(302);
    expect((await web.get('/_admin/my_account')).text).toContain(others.email);
  });

  it.each(['wrong', '', 'x'.repeat(5_000)])('a wrong password is answered like an unknown user', async (wrong) => {
    const { web, username } = await setUp();
    const answer = await web.post('/_admin/login', { username, password: wrong });
    const unknown = await web.post('/_admin/login', { username: uniqueName('nobody'), password: wrong });
    expect([answer.status, unknown.status]).toEqual([403, 403]);
    expect(answer.text.replaceAll(username, '')).toContain('Invalid username or password');
    expect(web.cookies.has('trunkline_session')).toBe(false);
  });

  it('a form of another site is refused', async () => {
    const { web, username } = await setUp();
    const headers = { origin: 'https://evil.example' };
    expect((await web.post('/_admin/login', { username, password }, headers)).status).toBe(400);
  });

  it('signing out ends the session, not only its cookie', async () => {
    const { web, username } = await setUp();
    await web.signIn(username, password);
    const thief = createWebClient(cluster.baseUrl);
    const stolen = { cookie: `trunkline_session=${encodeURIComponent(web.cookies.get('trunkline_session') ?? '')}` };
    expect((await thief.get('/', stolen)).status).toBe(200);
    const { headers } = await web.submit('/', '/_admin/logout', {});
    expect([headers.get('location'), headers.get('clear-site-data')]).toEqual(['/_admin/login', '"cache"']);
    expect((await web.get('/')).status).toBe(302);
    expect((await thief.get('/', stolen)).status).toBe(302);
  });

  it('signing out without the CSRF token of the session does nothing', async () => {
    const { web, username } = await setUp();
    await web.signIn(username, password);
    expect((await web.post('/_admin/logout', { csrf_token: 'x' })).status).toBe(400);
    expect((await web.get('/')).status).toBe(200);
  });

  it('signing out everywhere ends every session', async () => {
    const { web, username } = await setUp();
    const elsewhere = createWebClient(cluster.baseUrl);
    await Promise.all([web.signIn(username, password), elsewhere.signIn(username, password)]);
    await web.submit('/', '/_admin/logout', { everywhere: '1' });
    expect((await elsewhere.get('/')).status).toBe(302);
  });

  it('signing in again ends the previous session', async () => {
    const { web, username } = await setUp();
    await web.signIn(username, password);
    const before = { cookie: `trunkline_session=${encodeURIComponent(web.cookies.get('trunkline_session') ?? '')}` };
    await web.signIn(username, password);
    expect((await createWebClient(cluster.baseUrl).get('/', before)).status).toBe(302);
    expect((await web.get('/')).status).toBe(200);
  });

  it('a cookie with a foreign signature is ignored', async () => {
    const { web, username } = await setUp();
    await web.signIn(username, password);
    const [token = ''] = (web.cookies.get('trunkline_session') ?? '').split('.');
    for (const forged of [token, `${token}.`, `${token}.AAAA`, 'x.y.z', '']) {
      const headers = { cookie: `trunkline_session=${forged}` };
      expect((await createWebClient(cluster.baseUrl).get('/', headers)).status).toBe(302);
    }
  });

  it('an inactive user cannot sign in, and the user’s sessions end at once', async () => {
    const { web, id, username } = await setUp();
    await web.signIn(username, password);
    await admin.result('update_user', { userid: id, active: false });
    expect((await web.get('/nothing')).status).toBe(302);
    expect((await createWebClient(cluster.baseUrl).signIn(username, password)).status).toBe(403);
  });

  it('a page that does not exist is answered as forbidden to all but administrators', async () => {
    const { web, username } = await setUp();
    await web.signIn(username, password);
    expect((await web.get('/nothing/here')).status).toBe(403);
  });
});
