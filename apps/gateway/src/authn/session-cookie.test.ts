import { createSecretVault } from '@trunkline/db';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { sessionCookie } from './sessions.ts';

const cookieVault = createSecretVault('x'.repeat(32));
const token = 'a'.repeat(43);

/** Creates a server that writes the cookie, returns the token that it reads, and clears the cookie. */
function setUp(secure = false, ofVault = cookieVault) {
  const cookie = sessionCookie(ofVault, () => secure);
  const app = new Hono();
  app.get('/write', (c) => {
    cookie.write(c, token);
    return c.text('');
  });
  app.get('/read', (c) => c.json(cookie.read(c)));
  app.get('/clear', (c) => {
    cookie.clear(c);
    return c.text('');
  });
  const setCookie = async (path: string) => (await app.request(path)).headers.get('set-cookie') ?? '';
  const read = async (header: string): Promise<unknown> =>
    (await app.request('/read', { headers: { Cookie: header } })).json();
  const written = async () => (await setCookie('/write')).split(';', 1)[0] ?? '';
  return { setCookie, read, written };
}

describe('sessionCookie', () => {
  it('returns the token of a cookie it has written', async () => {
    const { read, written } = setUp();
    expect(await read(await written())).toBe(token);
    expect(await read(`other=1; ${await written()}`)).toBe(token);
  });

  it('returns a token that was signed under a former secret', async () => {
    const { read } = setUp(false, createSecretVault('y'.repeat(32), ['x'.repeat(32)]));
    expect(await read(await setUp().written())).toBe(token);
  });

  it('is written HttpOnly and without a domain, and Secure when the request came over https', async () => {
    const attributes = 'Max-Age=1209600; Path=/; HttpOnly';
    expect(await setUp().setCookie('/write')).toMatch(new RegExp(`; ${attributes}; SameSite=Lax$`));
    expect(await setUp(true).setCookie('/write')).toMatch(new RegExp(`; ${attributes}; Secure; SameSite=Lax$`));
  });

  it('is cleared by an empty value that expires at once', async () => {
    expect(await setUp().setCookie('/clear')).toBe('trunkline_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
  });

  it('B4 accepts no token without a valid signature', async () => {
    const { read, written } = setUp();
    const good = await written();
    const [name = '', value = ''] = good.split('=');
    const foreign = await setUp(false, createSecretVault('y'.repeat(32))).written();
    const wrong = [
      `${name}=`,
      `${name}=${token}`,
      `${name}=${token}.`,
      `${name}=.${value.split('.')[1]}`,
      good.replace('aaa', 'aab'),
      `${good}.x`,
      good.slice(0, -2),
      foreign,
      'other=1',
    ];
    for (const header of wrong) expect(await read(header), header).toBeNull();
  });
});
