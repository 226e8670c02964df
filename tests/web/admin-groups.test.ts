import { describe, expect, it } from 'vitest';
import { admin, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const hostile = '"><script>alert(1)</script>\u202e';
const { web } = await makeVisitor({ admin: true });

async function idOf(kind: 'user_groups' | 'repo_groups', name: string): Promise<number> {
  const { text } = await web.get(`/_admin/${kind}?filter=${encodeURIComponent(name)}`);
  const [, id] = new RegExp(`<a href="/_admin/${kind}/(\\d+)/edit">${name}</a>`).exec(text) ?? [];
  return Number(id);
}

describe('user groups', () => {
  const newPath = '/_admin/user_groups/new';

  async function makeGroup(): Promise<{ name: string; path: string }> {
    const name = uniqueName('team');
    await admin.result('create_user_group', { group_name: name });
    return { name, path: `/_admin/user_groups/${await idOf('user_groups', name)}/edit` };
  }

  it('are created, found and renamed', async () => {
    const [name, { username: owner }] = [uniqueName('team'), await makeUser()];
    const created = await web.submit(newPath, newPath, { group_name: name, owner, active: 'true' });
    const path = `/_admin/user_groups/${await idOf('user_groups', name.toUpperCase().toLowerCase())}/edit`;
    expect([created.status, created.headers.get('location')]).toEqual([303, path]);
    const page = await web.get(path);
    expect(page.text).toContain(`name="owner" value="${owner}"`);
    const sent = { group_name: `${name}-2`, owner, description: `${hostile}\r\nMore` };
    expect((await web.submit(path, path, sent)).status).toBe(303);
    expect(await admin.result('get_user_group', { usergroupid: `${name}-2` })).toMatchObject({ active: false });
    const list = await web.get(`/_admin/user_groups?filter=${name}`);
    expect(list.text).toContain('inactive');
    expect(list.text).not.toContain('<script>');
  });

  it('are refused with a taken name or an unknown owner, and the form keeps what was entered', async () => {
    const { name } = await makeGroup();
    const page = await web.submit(newPath, newPath, { group_name: uniqueName('team'), owner: 'nobody-at-all' });
    expect([page.status, page.text.includes('role="alert"')]).toEqual([404, true]);
    expect(page.text).toContain('user <code>nobody-at-all</code> does not exist');
    const again = await web.submit(newPath, newPath, { group_name: name, owner: '' });
    expect(again.status).toBe(409);
    expect(again.text).toContain(`name="group_name" value="${name}"`);
  });

  it('get members, and lose them', async () => {
    const [{ name, path }, { id, username }] = [await makeGroup(), await makeUser({ firstname: hostile })];
    const members = `${path}/members`;
    expect((await web.submit(members, members, { member: username })).status).toBe(303);
    expect(await admin.result('get_user_group', { usergroupid: name })).toMatchObject({ members: [{ username }] });
    const page = await web.get(`${members}?filter=${username.toUpperCase()}`);
    expect(page.text).toContain(`>${username}</a>`);
    expect(page.text).not.toContain('<script>');
    const again = await web.submit(members, members, { member: username });
    expect([again.status, again.text.includes(`value="${username}"`)]).toEqual([409, true]);
    expect((await web.submit(members, members, { remove: String(id) })).status).toBe(303);
    expect(await admin.result('get_user_group', { usergroupid: name })).toMatchObject({ members: [] });
  });

  it('are granted global rights', async () => {
    const { path } = await makeGroup();
    const perms = `${path}/perms`;
    expect((await web.submit(perms, perms, { grant: 'hg.create.repository' })).status).toBe(303);
    const { text } = await web.get(perms);
    expect(text).toMatch(/Can create repositories<\/span><span class="badge good">granted/);
    expect(text).toMatch(/Can fork repositories<\/span><span class="badge">not granted/);
  });

  it('are deleted when that is confirmed', async () => {
    const { name, path } = await makeGroup();
    const page = `${path}/advanced`;
    expect((await web.submit(page, page, {})).status).toBe(400);
    expect((await web.submit(page, page, { confirmed: 'true' })).status).toBe(303);
    expect(await admin.result('get_user_group', { usergroupid: name })).toBeNull();
  });
});

describe('repository groups', () => {
  const newPath = '/_admin/repo_groups/new';

  async function makeGroup(): Promise<{ name: string; path: string }> {
    const name = uniqueName('group');
    await admin.result('create_repo_group', { group_name: name });
    return { name, path: `/_admin/repo_groups/${await idOf('repo_groups', name)}/edit` };
  }

  it('are created below others, moved and renamed', async () => {
    const [{ name: above }, { username: owner }] = [await makeGroup(), await makeUser()];
    const name = uniqueName('inner');
    const fields = { group_name: name, parent: above, owner, description: hostile };
    const created = await web.submit(newPath, newPath, fields);
    const path = created.headers.get('location') ?? '';
    expect(created.status).toBe(303);
    const page = await web.get(path);
    expect(page.text).toContain(`<h1>${above}/${name}</h1>`);
    expect(page.text).not.toContain('<script>');
    const changed = { ...fields, group_name: `${name}-2`, parent: '' };
    expect((await web.submit(path, path, changed)).status).toBe(303);
    expect(await admin.result('get_repo_group', { repogroupid: `${name}-2` })).toMatchObject({
      parent_group: null,
      owner,
      group_description: hostile,
    });
  });

  it.each([
    ['a group above that is not there', { parent: 'not-there' }, 404],
    ['an owner who is not there', { owner: 'not-there' }, 404],
    ['a name that is none', { group_name: '..' }, 422],
  ])('are refused with %s, and the form keeps what was entered', async (_, wrong, status) => {
    const fields = { group_name: uniqueName('group'), parent: '', owner: '', description: 'Kept', ...wrong };
    const page = await web.submit(newPath, newPath, fields);
    expect(page.status).toBe(status);
    expect(page.text).toContain('role="alert"');
    expect(page.text).toContain('\nKept</textarea>');
  });

  it('give levels to users and user groups, also on what lies below', async () => {
    const [{ name, path }, { username }] = [await makeGroup(), await makeUser()];
    const team = uniqueName('team');
    await admin.result('create_user_group', { group_name: team });
    await admin.result('create_repo', { repo_name: `${name}/below`, repo_type: 'git' });
    const perms = `${path}/perms`;
    const grant = { perm: 'group.write', apply_to_children: 'all' };
    expect((await web.submit(perms, perms, { member_type: 'user', member: username, ...grant })).status).toBe(303);
    expect((await web.submit(perms, perms, { member_type: 'user_group', member: team, ...grant })).status).toBe(303);
    const levels = async (operation: string, args: Record<string, unknown>) => {
      const { members } = await admin.result<{ members: Record<string, unknown>[] }>(operation, args);
      return members.map(({ permission }) => permission).filter((level) => String(level).endsWith('.write'));
    };
    expect(await levels('get_repo_group', { repogroupid: name })).toEqual(['group.write', 'group.write']);
    expect(await levels('get_repo', { repoid: `${name}/below` })).toEqual(['repository.write', 'repository.write']);
    const revoke = { member_type: 'user', member: username, perm: 'revoke', apply_to_children: 'none' };
    expect((await web.submit(perms, perms, revoke)).status).toBe(303);
    expect(await levels('get_repo_group', { repogroupid: name })).toEqual(['group.write']);
    expect(await levels('get_repo', { repoid: `${name}/below` })).toHaveLength(2);
    const wrong = await web.submit(perms, perms, { member_type: 'user', member: hostile, ...grant });
    expect([wrong.status, wrong.text.includes('<script>')]).toEqual([404, false]);
  });

  it('are deleted when that is confirmed and they are empty', async () => {
    const { name, path } = await makeGroup();
    const page = `${path}/advanced`;
    await admin.result('create_repo', { repo_name: `${name}/one`, repo_type: 'git' });
    expect((await web.submit(page, page, {})).status).toBe(400);
    expect((await web.submit(page, page, { confirmed: 'true' })).status).toBe(422);
    await admin.result('delete_repo', { repoid: `${name}/one` });
    expect((await web.submit(page, page, { confirmed: 'true' })).status).toBe(303);
    expect(await admin.result('get_repo_group', { repogroupid: name })).toBeNull();
  });
});
