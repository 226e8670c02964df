import { afterAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser } from '../harness/browser.ts';
import { eventually } from '../harness/eventually.ts';
import { looks } from '../harness/looks.ts';
import { screenshot } from '../harness/screenshot.ts';
import { admin, cluster, makeRepository, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { createWebClient } from '../harness/web-client.ts';
import { makeVisitor, password } from '../harness/web-visitor.ts';

const account = '/_admin/my_account';
const parts = ['', '/password', '/emails', '/api_keys', '/repos', '/watched', '/perms'];
const hostile = '"><script>alert(1)</script>\u202e';

describe('an account', () => {
  it.each(parts)('%s needs a sign-in, and is not cached', async (part) => {
    const nobody = createWebClient(cluster.baseUrl);
    const { status, headers } = await nobody.get(`${account}${part}`);
    expect([status, headers.get('location')]).toEqual([
      302,
      `/_admin/login?came_from=${encodeURIComponent(`${account}${part}`)}`,
    ]);
    const { web } = await makeVisitor();
    const page = await web.get(`${account}${part}`);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page.text.match(/<h1>/g)).toHaveLength(1);
    expect(page.text).toContain(`<a href="${account}${part}" aria-current="page">`);
  });

  it.each(parts)('%s is refused with an API key', async (part) => {
    const { client } = await makeUser();
    const web = createWebClient(cluster.baseUrl);
    expect((await web.get(`${account}${part}?api_key=${client.apiKey}`)).status).toBe(403);
  });

  it('refuses a form without its CSRF token', async () => {
    const { web, client } = await makeVisitor();
    const { status, text } = await web.post(account, { firstname: 'Eve', csrf_token: 'x'.repeat(40) });
    expect(status).toBe(400);
    expect(text).toContain('<header class="site">');
    expect(text).toContain(`<a href="${account}">Open the page again</a>`);
    expect(await client.result('get_user')).toMatchObject({ firstname: null });
  });
});

describe('the profile', () => {
  it('accepts names and address with any characters', async () => {
    const { web, client, username } = await makeVisitor();
    const fields = { firstname: hostile, lastname: "O'Neil & Söhne", email: `New-${username}@example.com` };
    const sent = await web.submit(account, account, fields);
    expect([sent.status, sent.headers.get('location')]).toEqual([303, account]);
    expect(await client.result('get_user')).toMatchObject({
      username,
      ...fields,
      email: `new-${username}@example.com`.toLowerCase(),
    });
    const page = await web.get(account);
    expect(page.text).toContain('Your profile is saved.');
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;');
    expect((await web.get(account)).text).not.toContain('Your profile is saved.');
  });

  it('changes nothing but names and address', async () => {
    const { web, client, username } = await makeVisitor();
    await web.submit(account, account, { firstname: 'Ann', admin: 'true', username: 'root', userid: '1' });
    expect(await client.result('get_user')).toMatchObject({ username, firstname: 'Ann', admin: false });
  });

  it('shows refused values in the form again', async () => {
    const [{ web, client, id }, other] = [await makeVisitor(), await makeUser()];
    const email = `${other.username}@example.com`;
    const sent = await web.submit(account, account, { firstname: hostile, lastname: '', email });
    expect(sent.status).toBe(409);
    expect(sent.text).toContain(`email <code>${email}</code> already exists`);
    expect(sent.text).toContain('role="alert"');
    expect(sent.text).toMatch(new RegExp(`<input [^>]*name="email"[^>]* value="${email}"`));
    expect(sent.text).not.toContain('<script>');
    expect(await client.result('get_user', { userid: id })).toMatchObject({ firstname: null });
  });

  it('ends every session, but no key', async () => {
    const { web, client, username } = await makeVisitor();
    const elsewhere = createWebClient(cluster.baseUrl);
    await elsewhere.signIn(username, password);
    const page = await web.get(account);
    const form = /<form[^>]*action="\/_admin\/logout"[^>]*>(?:(?!<\/form>)[^])*name="everywhere"/;
    expect(page.text).toMatch(form);
    expect((await web.submit(account, '/_admin/logout', { everywhere: 'true' })).status).toBe(302);
    expect((await elsewhere.get(account)).status).toBe(302);
    expect(await client.result('get_user')).toMatchObject({ username });
  });
});

describe('the password', () => {
  const path = `${account}/password`;
  const next = 'another horse, another battery';
  const fields = (current: string, one: string, again = one) => ({
    current_password: current,
    new_password: one,
    new_password_confirmation: again,
  });

  it('is changed with the current password', async () => {
    const { web, username } = await makeVisitor();
    expect((await web.submit(path, path, fields(password, next))).status).toBe(303);
    expect((await web.get(path)).text).toContain('Your password is changed');
    expect((await createWebClient(cluster.baseUrl).signIn(username, password)).status).toBe(403);
    expect((await createWebClient(cluster.baseUrl).signIn(username, next)).status).toBe(302);
  });

  it('B4 is changed in another session while guesses of this session wait', async () => {
    const { web, username } = await makeVisitor();
    const other = createWebClient(cluster.baseUrl);
    await other.signIn(username, password);
    let refused = 0;
    const guess = async () => {
      const { status } = await web.submit(path, path, fields(uniqueName('wrong'), next));
      refused += 1;
      return status;
    };
    const guesses = Promise.all(Array.from({ length: 8 }, guess));
    guesses.catch(() => {});
    await eventually(
      async () => refused,
      (answered) => answered >= 5,
    );
    expect((await other.submit(path, path, fields(password, next))).status).toBe(303);
    // The change ends the session whose guesses wait.
    expect([302, 400, 503]).toEqual(expect.arrayContaining(await guesses));
  });

  it.each([
    ['a wrong one', fields('wrong password', next), 'Current password: is wrong'],
    ['two that differ', fields(password, next, `${next}!`), 'The new passwords do not match'],
    ['a short one', fields(password, 'shorter'), 'New password: must be at least 8 characters'],
  ])('is not changed with %s, which is not shown again', async (_, sent, text) => {
    const { web, username } = await makeVisitor();
    const answer = await web.submit(path, path, sent);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(text);
    for (const secret of Object.values(sent)) expect(answer.text).not.toContain(`"${secret}"`);
    expect((await createWebClient(cluster.baseUrl).signIn(username, password)).status).toBe(302);
  });
});

it('the username is refused as the new password, in upper or lower case', async () => {
  const { web, username } = await makeVisitor();
  const [path, name] = [`${account}/password`, username.toUpperCase()];
  const sent = { current_password: password, new_password: name, new_password_confirmation: name };
  const answer = await web.submit(path, path, sent);
  expect([answer.status, answer.text]).toEqual([
    400,
    expect.stringContaining('New password: must not be the username'),
  ]);
  expect((await createWebClient(cluster.baseUrl).signIn(username, name)).status).toBe(403);
});

describe('e-mail addresses', () => {
  const path = `${account}/emails`;

  it('are added and removed', async () => {
    const { web, client, username } = await makeVisitor();
    const email = `"'&amp;<b>${username}@example.com`;
    expect((await web.submit(path, path, { new_email: email })).status).toBe(303);
    expect(await client.result('get_user')).toMatchObject({ emails: [email] });
    const page = await web.get(path);
    expect(page.text).not.toContain('<b>');
    expect(page.text).toContain(`${username}@example.com`);
    expect((await web.submit(path, path, { del_email_id: email })).status).toBe(303);
    expect(await client.result('get_user')).toMatchObject({ emails: [] });
  });

  it.each([
    [{ new_email: 'nobody' }, 400, 'must be an e-mail address'],
    [{ new_email: '' }, 400, 'must be an e-mail address'],
    [{ del_email_id: 'nobody@example.com' }, 404, 'has no email <code>nobody@example.com</code>'],
    [{}, 400, 'Enter an e-mail address'],
  ])('%j is refused', async (fields, status, text) => {
    const { web } = await makeVisitor();
    const sent = await web.submit(path, path, fields);
    expect(sent.status).toBe(status);
    expect(sent.text).toContain(text);
  });
});

describe('repositories', () => {
  it('owned and followed ones are listed separately', async () => {
    const { web, client, username } = await makeVisitor();
    const [owned, followed, other] = [uniqueName('owned'), await makeRepository('git'), await makeRepository('hg')];
    await admin.result('create_repo', { repo_name: owned, repo_type: 'hg', owner: username });
    await client.result('follow_repo', { repoid: followed });
    await client.result('unfollow_repo', { repoid: owned });
    const pages = await Promise.all(['repos', 'watched'].map((part) => web.get(`${account}/${part}`)));
    const shown = pages.map(({ text }) =>
      [owned, followed, other].filter((name) => text.includes(`href="/${encodeURI(name)}"`)),
    );
    expect(shown).toEqual([[owned], [followed]]);
  });
});

describe('permissions', () => {
  it('are listed with their levels, and found by name', async () => {
    const { web, username } = await makeVisitor();
    const [name, other] = [await makeRepository('git'), await makeRepository('hg')];
    await admin.result('grant_user_permission', { repoid: name, userid: username, perm: 'repository.write' });
    const { text } = await web.get(`${account}/perms?q=${name.toUpperCase()}`);
    expect(text).toMatch(new RegExp(`<a href="/${encodeURI(name)}">${name}</a></td><td>write</td>`));
    expect(text).not.toContain(other);
  });

  it('of an administrator are shown as every permission', async () => {
    const { web } = await makeVisitor({ admin: true });
    expect((await web.get(`${account}/perms`)).text).toContain('Administrators have all permissions');
  });
});

describe('in a browser', async () => {
  const browser = await openBrowser(cluster.baseUrl);
  afterAll(() => browser.close());

  it.each(looks)('%s at %i pixels, no page has a fault', async (colorScheme, width) => {
    const user = await makeUser({ password, firstname: 'Ann', lastname: 'Example' });
    await user.client.result('add_user_email', { email: `${'long.'.repeat(20)}${user.username}@example.com` });
    await user.client.result('create_api_key', { description: 'nightly build on the machine below the stairs' });
    await user.client.result('create_api_key', { description: hostile.repeat(3), lifetime: 5 });
    const repository = await makeRepository('git', { owner: user.username, description: 'What we build on' });
    await user.client.result('follow_repo', { repoid: repository });
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await page.goto(account);
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**${account}`);
    for (const part of parts) {
      await page.goto(`${account}${part}`);
      expect([part, await axeViolations(page)]).toEqual([part, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await screenshot(page, `account${part.replace('/', '-')}-${colorScheme}-${width}`);
    }
  });
});
