import { describe, expect, it } from 'vitest';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { createWebClient } from '../harness/web-client.ts';
import { makeVisitor, password } from '../harness/web-visitor.ts';

const hostile = '"><script>alert(1)</script>\u202e';
const { web, username: bossName } = await makeVisitor({ admin: true });

const editPath = (id: number, part = '') => `/_admin/users/${id}/edit${part}`;
const newPath = '/_admin/users/new';
const readUser = (userid: number | string) => admin.result<Record<string, unknown>>('get_user', { userid });

/** Returns the fields that a browser sends for an unchanged form of a user. */
function fieldsOf(username: string) {
  const email = `${username}@example.com`;
  return { username, email, firstname: '', lastname: '', password: '', ldap_dn: '', active: 'true' };
}

describe('the list of users', () => {
  it('finds users by any of their names and addresses, in any case', async () => {
    const tag = uniqueName('tag');
    const [byName, byEmail] = [await makeUser({ firstname: 'Zoë', lastname: tag }), await makeUser()];
    await byEmail.client.result('add_user_email', { email: `${tag}@example.com` });
    const other = await makeUser();
    const found = await web.get(`/_admin/users?filter=${tag.toUpperCase()}`);
    const names = [byName, byEmail, other].map(({ username }) => username);
    expect(names.filter((name) => found.text.includes(`>${name}</a>`))).toEqual([byName.username, byEmail.username]);
    const both = await web.get(`/_admin/users?filter=${encodeURIComponent(`ZOË ${tag}`)}`);
    expect(both.text).toContain(`>${byName.username}</a>`);
  });

  it.each(['%', '_', '.*', '\\', '(', hostile])('searches for %j as plain text', async (filter) => {
    const { status, text } = await web.get(`/_admin/users?filter=${encodeURIComponent(filter)}`);
    expect(status).toBe(200);
    expect(text).toContain(filter === '%' || filter === '.*' ? 'No users found.' : '');
    expect(text).not.toContain('<script>');
  });

  it('is split into pages', async () => {
    const tag = uniqueName('many');
    const names = Array.from({ length: 51 }, (_, at) => `${tag}-${String(at).padStart(2, '0')}`);
    for (const username of names) {
      await admin.result('create_user', { username, email: `${username}@example.com` });
    }
    const first = await web.get(`/_admin/users?filter=${tag}`);
    const next = /<a href="([^"]+)" rel="next">/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await web.get(next);
    const shown = [first, second].map(({ text }) => names.filter((name) => text.includes(`>${name}</a>`)).length);
    expect(shown).toEqual([50, 1]);
    expect(second.text).not.toContain('rel="next"');
  });
});

describe('a new user', () => {
  it('is created with the values of the form, and can sign in', async () => {
    const username = uniqueName('new');
    const fields = { ...fieldsOf(username), firstname: hostile, password };
    const sent = await web.submit(newPath, newPath, fields);
    const { user_id: id, ...user } = await readUser(username);
    expect([sent.status, sent.headers.get('location')]).toEqual([303, editPath(Number(id))]);
    expect(user).toMatchObject({ firstname: hostile, active: true, admin: false, ldap_dn: null });
    const page = await web.get(editPath(Number(id)));
    expect(page.text).toContain(`The user ${username} is created.`);
    expect(page.text).not.toContain('<script>');
    expect((await createWebClient(cluster.baseUrl).signIn(username, password)).status).toBe(302);
  });

  it.each([
    ['a name that there is', { username: bossName }, 409, '</code> already exists'],
    ['a name of digits', { username: '1234' }, 422, 'failed to create user <code>1234</code>'],
    ['no address', { email: '' }, 400, 'E-mail address: must be an e-mail address'],
    ['a short password', { password: 'shorter' }, 400, 'Password: must be at least 8 characters'],
    ['an address that somebody has', { email: `${bossName}@example.com` }, 409, '</code> already exists'],
  ])('is refused with %s, and the form keeps what was entered', async (_case, wrong, status, text) => {
    const username = uniqueName('new');
    const { active: _, ...fields } = { ...fieldsOf(username), ...wrong };
    const others = { firstname: hostile, admin: 'true', password: 'very secret', ...wrong };
    const page = await web.submit(newPath, newPath, { ...fields, ...others });
    expect(page.status).toBe(status);
    expect(page.text).toContain(text);
    expect(page.text).toContain('role="alert"');
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;');
    expect(page.text).toMatch(/name="admin" checked=""/);
    expect(page.text).not.toMatch(/name="active" checked=""/);
    expect(page.text).not.toContain('very secret');
    expect(page.text).not.toContain('<script>');
    expect(await readUser(username)).toBeNull();
  });
});

describe('the profile of a user', () => {
  it('is changed to the values of the form', async () => {
    const { id, username } = await makeUser();
    const path = editPath(id);
    const renamed = `${username}-2`;
    const { active: _, ...fields } = fieldsOf(username);
    const changed = { ...fields, username: renamed, lastname: "O'Neil", ldap_dn: 'uid=o', admin: 'true' };
    expect((await web.submit(path, path, changed)).status).toBe(303);
    expect(await readUser(id)).toMatchObject({
      username: renamed,
      lastname: "O'Neil",
      ldap_dn: 'uid=o',
      active: false,
      admin: true,
    });
  });

  it('is not changed by an unchanged form', async () => {
    const { id, username } = await makeUser({ password });
    // The levels on public repositories change whenever another test creates one.
    const { permissions: _, ...before } = await readUser(id);
    expect((await web.submit(editPath(id), editPath(id), fieldsOf(username))).status).toBe(303);
    const { permissions: __, ...after } = await readUser(id);
    expect(after).toEqual(before);
    expect((await createWebClient(cluster.baseUrl).signIn(username, password)).status).toBe(302);
  });

  it('is not given the username as a password', async () => {
    const { id, username } = await makeUser({ password });
    const page = await web.submit(editPath(id), editPath(id), { ...fieldsOf(username), password: username });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Password: must not be the username')]);
    expect((await createWebClient(cluster.baseUrl).signIn(username, username)).status).toBe(403);
  });

  it('shows refused values in the form again', async () => {
    const [{ id, username }, other] = [await makeUser(), await makeUser()];
    const fields = { ...fieldsOf(username), username: other.username, firstname: 'Kept' };
    const page = await web.submit(editPath(id), editPath(id), fields);
    expect(page.status).toBe(422);
    expect(page.text).toContain('The user could not be updated');
    expect(page.text).toContain('value="Kept"');
    expect(await readUser(id)).toMatchObject({ username });
  });
});

describe('addresses, keys and groups of a user', () => {
  it('e-mail addresses of a user are added and removed', async () => {
    const { id } = await makeUser();
    const path = editPath(id, '/emails');
    const email = `${uniqueName('mail')}@example.com`;
    expect((await web.submit(path, path, { new_email: email })).status).toBe(303);
    expect(await readUser(id)).toMatchObject({ emails: [email] });
    expect((await web.submit(path, path, { del_email_id: email })).status).toBe(303);
    expect(await readUser(id)).toMatchObject({ emails: [] });
  });

  it('keys of a user are added, reset and revoked', async () => {
    const { id, client } = await makeUser();
    const path = editPath(id, '/api_keys');
    expect((await web.submit(path, path, { lifetime: '60', description: hostile })).status).toBe(303);
    const keys = await client.result<{ api_key: string; builtin: boolean }[]>('get_api_keys');
    const added = keys.find(({ builtin }) => !builtin)?.api_key ?? '';
    const page = await web.get(path);
    expect(page.text).toContain(added);
    expect(page.text).not.toContain('<script>');
    expect((await web.submit(path, path, { del_api_key: added })).status).toBe(303);
    expect((await web.submit(path, path, { del_api_key_builtin: client.apiKey })).status).toBe(303);
    const left = await admin.result<{ api_key: string }[]>('get_api_keys', { userid: id });
    expect(left.map(({ api_key: key }) => key)).not.toContain(client.apiKey);
    expect(left).toHaveLength(1);
  });

  it('networks of a user are added and removed', async () => {
    const { id } = await makeUser();
    const path = editPath(id, '/ips');
    expect((await web.submit(path, path, { new_ip: '192.0.2.77/24' })).status).toBe(303);
    expect(await readUser(id)).toMatchObject({ ip_addresses: ['192.0.2.0/24'] });
    expect((await web.get(path)).text).toContain('192.0.2.0 – 192.0.2.255');
    const again = await web.submit(path, path, { new_ip: '192.0.2.0/24' });
    expect([again.status, again.text.includes('already has ip')]).toEqual([409, true]);
    expect((await web.submit(path, path, { del_ip_id: '192.0.2.0/24' })).status).toBe(303);
    expect(await readUser(id)).toMatchObject({ ip_addresses: [] });
  });

  it('networks of everybody are changed only on the page that asks before it locks the visitor out', async () => {
    const path = editPath(1, '/ips');
    const token = /name="csrf_token" value="([^"]+)"/.exec((await web.get(newPath)).text)?.[1] ?? '';
    const answers = [await web.get(path), await web.post(path, { csrf_token: token, new_ip: '127.0.0.0/8' })];
    for (const { status, headers } of answers) {
      expect([status, headers.get('location')]).toEqual([303, '/_admin/permissions/ips']);
    }
    expect(await admin.result('get_ip', { userid: 'default' })).toMatchObject({ user_ips: [] });
  });

  it.each([hostile, '', '300.1.1.1', '10.0.0.0/33'])(
    '%j is refused as a network, and stays in the form',
    async (network) => {
      const { id } = await makeUser();
      const page = await web.submit(editPath(id, '/ips'), editPath(id, '/ips'), { new_ip: network });
      expect(page.status).toBe(400);
      expect(page.text).not.toContain('<script>');
      expect(page.text).toContain(/^[0-9]/.test(network) ? `name="new_ip" value="${network}"` : 'name="new_ip"');
      expect(await readUser(id)).toMatchObject({ ip_addresses: [] });
    },
  );

  it('a user is added to a user group, and removed', async () => {
    const { id, username } = await makeUser();
    const group = uniqueName('team');
    await admin.result('create_user_group', { group_name: group });
    const path = editPath(id, '/groups');
    const members = async () =>
      (await admin.result<{ members: unknown[] }>('get_user_group', { usergroupid: group })).members;
    expect((await web.submit(path, path, { group })).status).toBe(303);
    expect(await members()).toMatchObject([{ username }]);
    const page = await web.get(path);
    const [, groupId = ''] = new RegExp(`<a href="/_admin/user_groups/(\\d+)/edit">${group}</a>`).exec(page.text) ?? [];
    expect((await web.submit(path, path, { remove: groupId })).status).toBe(303);
    expect(await members()).toEqual([]);
    const missing = await web.submit(path, path, { group: hostile });
    expect(missing.status).toBe(404);
    expect(missing.text).not.toContain('<script>');
    expect(missing.text).toContain('value="&quot;&gt;');
  });

  it('global rights are granted and revoked', async () => {
    const { id } = await makeUser();
    const path = editPath(id, '/perms');
    const granted = /Can fork repositories<\/span><span class="badge good">granted/;
    expect((await web.get(path)).text).not.toMatch(granted);
    expect((await web.submit(path, path, { grant: 'hg.fork.repository' })).status).toBe(303);
    expect((await web.get(path)).text).toMatch(granted);
    expect((await web.submit(path, path, { revoke: 'hg.fork.repository' })).status).toBe(303);
    expect((await web.get(path)).text).not.toMatch(granted);
    expect((await web.submit(path, path, { grant: 'hg.admin' })).status).toBe(404);
  });
});

describe('deleting a user', () => {
  it('needs a confirmation', async () => {
    const { id } = await makeUser();
    const path = editPath(id, '/advanced');
    const unsure = await web.submit(path, path, {});
    expect([unsure.status, unsure.text.includes('confirm the deletion first')]).toEqual([400, true]);
    expect(await readUser(id)).not.toBeNull();
    const sure = await web.submit(path, path, { confirmed: 'true' });
    expect([sure.status, sure.headers.get('location')]).toEqual([303, '/_admin/users']);
    expect(await readUser(id)).toBeNull();
  });

  it('is refused for a user who owns something', async () => {
    const { id, username } = await makeUser();
    await admin.result('create_user_group', { group_name: uniqueName('owned'), owner: username });
    const path = editPath(id, '/advanced');
    const page = await web.submit(path, path, { confirmed: 'true' });
    expect(page.status).toBe(422);
    expect(page.text).toContain('The user could not be deleted');
  });
});
