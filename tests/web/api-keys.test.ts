import { afterAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { createClient } from '../harness/client.ts';
import { screenshot } from '../harness/screenshot.ts';
import { cluster, makeRepository, makeUser, sql } from '../harness/shared-cluster.ts';
import { makeVisitor, password } from '../harness/web-visitor.ts';

const path = '/_admin/my_account/api_keys';

interface Key {
  readonly api_key_id: number;
  readonly api_key: string;
  readonly builtin: boolean;
  readonly description: string;
  readonly created_on: string;
  readonly expires: string | null;
}

const tried = (apiKey: string) => createClient(cluster.baseUrl, apiKey).call('get_user');
const refused = { result: null, error: 'Invalid API key' };

describe('API keys', () => {
  it.each([
    ['-1', null],
    ['5', 5],
    ['60', 60],
    ['1440', 1_440],
    ['43200', 43_200],
  ])('one with the lifetime %s is added and works', async (lifetime, minutes) => {
    const { web, client, username } = await makeVisitor();
    const choice = new RegExp(`<option value="${lifetime}"`);
    expect((await web.get(path)).text).toMatch(choice);
    const description = '"><script>\u202e';
    const sent = await web.submit(path, path, { lifetime, description });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, path]);
    const keys = await client.result<Key[]>('get_api_keys');
    const [key] = keys.filter(({ builtin }) => !builtin);
    expect(key).toMatchObject({ description });
    const expires = key?.expires ? (Date.parse(key.expires) - Date.parse(key.created_on)) / 60_000 : null;
    expect(expires === null ? null : Math.round(expires)).toBe(minutes);
    expect(await tried(key?.api_key ?? '')).toMatchObject({ result: { username } });
    const { text } = await web.get(path);
    for (const { api_key: value } of keys) expect(text).toContain(`<code class="key">${value}</code>`);
    expect(text).not.toContain('<script>');
    expect(text).toContain('\\u{202E}');
  });

  it('one is limited to clients of git and named repositories', async () => {
    const { web, client } = await makeVisitor();
    const [first, second] = [await makeRepository('git'), await makeRepository('hg')];
    const fields = { lifetime: '-1', description: 'build server' };
    const refusedForm = await web.submit(path, path, { ...fields, repositories: `${first}\r\n` });
    expect(refusedForm.status).toBe(400);
    expect(refusedForm.text).toContain('Repositories: choose what the key is limited to');
    expect(refusedForm.text).toContain(`\n${first}`);
    const repositories = `${first}\r\n\r\n ${second} \r\n`;
    expect((await web.submit(path, path, { ...fields, limited_to: 'push', repositories })).status).toBe(303);
    expect((await web.submit(path, path, { ...fields, limited_to: 'fetch' })).status).toBe(303);
    const keys = await client.result<{ limited_to: string | null; repositories: unknown }[]>('get_api_keys');
    const named = [first, second].map((repo_name) => expect.objectContaining({ repo_name }));
    expect(keys.slice(1)).toMatchObject([
      { limited_to: 'push', repositories: named },
      { limited_to: 'fetch', repositories: null },
    ]);
    const { text } = await web.get(path);
    expect(text).toContain('<span class="badge">clone, fetch and push only</span>');
    expect(text).toContain('<span class="badge">clone and fetch only</span>');
    for (const name of [first, second]) expect(text).toContain(`>${name}</a>`);
    const missing = await web.submit(path, path, { ...fields, limited_to: 'push', repositories: 'no/such' });
    expect(missing.text).toContain('repository <code>no/such</code> does not exist');
  });

  it('a revoked one is refused at once', async () => {
    const { web, client } = await makeVisitor();
    const { api_key: key } = await client.result<{ api_key: Key }>('create_api_key');
    expect((await web.submit(path, path, { del_api_key: key.api_key })).status).toBe(303);
    expect(await tried(key.api_key)).toMatchObject(refused);
    const again = await web.submit(path, path, { del_api_key: key.api_key });
    expect(again.status).toBe(404);
    expect(again.text).toContain('This key no longer exists');
  });

  it('beyond a hundred are on further pages, and can be revoked there', async () => {
    const { web, client, id } = await makeVisitor();
    await sql`insert into api_keys (user_id, mac, sealed, secret_id)
      select user_id, decode(md5(user_id || '-' || n), 'hex'), sealed, secret_id
      from api_keys, generate_series(1, 100) n where user_id = ${id} and builtin`;
    const { api_key: newest } = await client.result<{ api_key: Key }>('create_api_key');
    const first = await web.get(path);
    expect(first.text).not.toContain(newest.api_key);
    const [, next] = /<a href="([^"]*)" rel="next">/.exec(first.text) ?? [];
    expect((await web.get(next ?? '')).text).toContain(newest.api_key);
    expect((await web.submit(path, path, { del_api_key: newest.api_key })).status).toBe(303);
    expect(await tried(newest.api_key)).toMatchObject(refused);
  });

  it('the built-in one cannot be revoked', async () => {
    const { web, client } = await makeVisitor();
    const sent = await web.submit(path, path, { del_api_key: client.apiKey });
    expect(sent.status).toBeGreaterThanOrEqual(400);
    expect(sent.text).toContain('role="alert"');
    await client.result('get_user');
  });

  it('those of another user cannot be revoked', async () => {
    const [{ web }, other] = [await makeVisitor(), await makeUser()];
    const { api_key: key } = await other.client.result<{ api_key: Key }>('create_api_key');
    expect((await web.submit(path, path, { del_api_key: key.api_key, userid: String(other.id) })).status).toBe(404);
    expect(await tried(key.api_key)).toMatchObject({ error: null });
  });

  it.each([
    { lifetime: '0' },
    { lifetime: 'x' },
    { lifetime: '' },
    { description: 'x'.repeat(1_001), lifetime: '5' },
    {},
  ])('%j is refused', async (fields) => {
    const { web, client } = await makeVisitor();
    const sent = await web.submit(path, path, fields);
    expect(sent.status).toBe(400);
    expect(sent.text).toContain('role="alert"');
    expect(await client.result('get_api_keys')).toHaveLength(1);
  });
});

describe('in a browser', async () => {
  const browser = await openBrowser(cluster.baseUrl);
  afterAll(() => browser.close());

  it.each([true, false])(
    'a reset key is refused, and the new one works, with scripts: %s',
    async (javaScriptEnabled) => {
      const { username, client } = await makeUser({ password });
      const repositories = [await makeRepository('git'), await makeRepository('hg')];
      await client.result('create_api_key', { limited_to: 'push', repositories, description: 'build server' });
      const page = await browser.newPage({ javaScriptEnabled });
      await page.goto(path);
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Reset…').click();
      await page.getByRole('button', { name: 'Reset' }).click();
      // Without a check mark in the box the browser does not send the form.
      expect(await tried(client.apiKey)).toMatchObject({ error: null });
      await page.getByLabel('Programs can no longer use this key').first().check();
      await screenshot(page, 'api-keys-reset');
      await page.getByRole('button', { name: 'Reset' }).click();
      await page.getByRole('status').waitFor();
      const shown = (await page.locator('li', { hasText: 'built-in' }).locator('code.key').textContent()) ?? '';
      expect(shown).toMatch(/^[0-9a-f]{40}$/);
      expect(await tried(client.apiKey)).toMatchObject(refused);
      expect(await tried(shown)).toMatchObject({ result: { username } });
    },
  );
});
