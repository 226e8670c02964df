import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeGitRemote } from '../harness/remotes.ts';
import { admin, makeRepository, storagePathOf, uniqueName, type TestUser } from '../harness/shared-cluster.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

type Visitor = TestUser & { readonly web: WebClient };

let owner: Visitor;
let writer: Visitor;
let boss: Visitor;

beforeAll(async () => {
  [owner, writer, boss] = await Promise.all([makeVisitor(), makeVisitor(), makeVisitor({ admin: true })]);
});

const read = (repoid: string) => admin.result<Record<string, unknown>>('get_repo', { repoid });

/** Creates a repository of `owner` on which `writer` may write; returns its name. */
async function make(args: Record<string, unknown> = {}): Promise<string> {
  const name = await makeRepository('git', { owner: owner.username, ...args });
  await admin.result('grant_user_permission', { repoid: name, userid: writer.id, perm: 'repository.write' });
  return name;
}

describe('settings', () => {
  it.each(['', '/permissions', '/maintenance', '/delete'])(
    '%j are for who administers the repository',
    async (page) => {
      const path = `/${await make()}/settings${page}`;
      expect((await owner.web.get(path)).status).toBe(200);
      expect((await boss.web.get(path)).status).toBe(200);
      const refused = await writer.web.get(path);
      expect(refused.status).toBe(403);
      const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec(refused.text) ?? [];
      const fields = {
        csrf_token,
        name: 'x',
        act: 'pull',
        confirmed: 'true',
        member: 'default',
        perm: 'revoke',
      };
      expect((await writer.web.post(path, fields)).status).toBe(403);
      expect((await writer.web.get(path.replace(/\/settings.*/, ''))).text).not.toContain('/settings"');
    },
  );

  it('change the entered values, and redirect to the new name', async () => {
    const name = await make({ private: true });
    const path = `/${name}/settings`;
    const renamed = uniqueName('renamed');
    await admin.result('create_repo_group', { group_name: uniqueName('group') });
    const fields = { name: renamed, group: '', description: '<b>\r\n"', landing_rev: mainBranch, clone_uri: '' };
    const answer = await owner.web.submit(path, path, { ...fields, private: 'true', enable_downloads: 'true' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/${encodeURI(renamed)}/settings`]);
    expect(await read(renamed)).toMatchObject({
      description: '<b>\n"',
      landing_rev: mainBranch,
      private: true,
      enable_downloads: true,
      clone_uri: null,
      owner: owner.username,
    });
    expect((await owner.web.get(`/${renamed}/settings`)).text).toContain('&lt;b&gt;\n&quot;</textarea>');
  });

  it('leave a repository not private when the box is not checked', async () => {
    const name = await make();
    const path = `/${name}/settings`;
    await owner.web.submit(path, path, { name, description: 'x' });
    expect(await read(name)).toMatchObject({ private: false, description: 'x' });
  });

  it('give a repository to another owner for administrators only', async () => {
    const name = await make();
    const path = `/${name}/settings`;
    const refused = await owner.web.submit(path, path, { name, owner: writer.username });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Only administrators can choose the owner');
    await boss.web.submit(path, path, { name, owner: writer.username });
    expect(await read(name)).toMatchObject({ owner: writer.username });
  });

  it('show refused values again, but never a password', async () => {
    const remote = await makeGitRemote();
    await remote.commit({ [someFile]: 'a' });
    const name = await make({ clone_uri: remote.url.replace('://', '://ann:geheim@') });
    await remote.close();
    const path = `/${name}/settings`;
    const { text } = await owner.web.get(path);
    expect(text).toContain('name="clone_uri" value="http://ann:');
    expect(text).not.toContain('geheim');
    const fields = { name: 'a/b', description: 'kept', clone_uri: 'https://ann:other@example.com/' };
    const refused = await owner.web.submit(path, path, fields);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('The repository could not be updated');
    expect(refused.text).toContain('value="a/b"');
    expect(refused.text).not.toMatch(/geheim|other@/);
  });
});

describe('permissions', () => {
  it('are granted, changed and revoked by administrators', async () => {
    const name = await make();
    const path = `/${name}/settings/permissions`;
    const group = uniqueName('team');
    await admin.result('create_user_group', { group_name: group });
    const give = (fields: Record<string, string>) => boss.web.submit(path, path, fields);
    const answer = await give({ member_type: 'user_group', member: group, perm: 'repository.write' });
    expect(answer.status).toBe(303);
    const members = async () => (await read(name))['members'];
    expect(await members()).toContainEqual(expect.objectContaining({ name: group, permission: 'repository.write' }));
    expect((await boss.web.get(path)).text).toContain(group);
    await give({ member_type: 'user_group', member: group, perm: 'revoke' });
    await give({ member_type: 'user', member: writer.username, perm: 'revoke' });
    expect(await members()).toEqual([expect.objectContaining({ username: 'default' })]);
  });

  it('are shown to users with admin on the repository, whose changes are refused', async () => {
    const name = await make();
    const path = `/${name}/settings/permissions`;
    const { text } = await owner.web.get(path);
    expect(text).toContain(writer.username);
    expect(text).not.toContain('<select');
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec(text) ?? [];
    const fields = { csrf_token, member_type: 'user', member: writer.username, perm: 'repository.admin' };
    expect((await owner.web.post(path, fields)).status).toBe(403);
  });

  it.each([
    ['no-such-user', 'repository.read', 'user <code>no-such-user</code> does not exist'],
    ['default', 'repository.<b>', 'permission <code>repository.&lt;b&gt;</code> does not exist'],
  ])('of %s to %s are refused with a reason', async (member, perm, reason) => {
    const path = `/${await make()}/settings/permissions`;
    const refused = await boss.web.submit(path, path, { member_type: 'user', member, perm });
    expect(refused.status).toBe(404);
    expect(refused.text).toContain(reason);
  });
});

describe('the storage of a repository', () => {
  const storageOf = async (name: string) => String((await read(name))['storage']);

  it('is shown to administrators, who move the repository to another one', async () => {
    const name = await make();
    const path = `/${encodeURI(name)}/settings/maintenance`;
    expect((await owner.web.get(path)).text).not.toContain('Move to');
    const before = await storageOf(name);
    const other = before === 'default' ? 'second' : 'default';
    expect((await boss.web.get(path)).text).toContain(`are on the storage ${before}.`);
    const moved = await boss.web.submit(path, path, { act: 'move', storage: other });
    expect([moved.status, moved.headers.get('location')]).toEqual([303, path]);
    await expect.poll(() => storageOf(name), { timeout: 60_000 }).toBe(other);
    const again = await boss.web.submit(path, path, { act: 'move', storage: other });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('is on storage')]);
    expect((await boss.web.get(`/${name}/files/tip/`)).status).toBe(200);
  });

  it('is not changed by who does not administer the service', async () => {
    const name = await make();
    const path = `/${name}/settings/maintenance`;
    const before = await storageOf(name);
    const refused = await owner.web.submit(path, path, { act: 'move', storage: 'second' });
    expect(refused.status).toBe(403);
    expect(await storageOf(name)).toBe(before);
  });
});

describe('maintenance', () => {
  it('locks, shows who holds the lock on every page, and unlocks', async () => {
    const name = await make();
    const path = `/${name}/settings/maintenance`;
    await owner.web.submit(path, path, { act: 'lock' });
    for (const page of [`/${name}`, `/?filter=${name}`]) {
      expect((await writer.web.get(page)).text).toContain(`locked by ${owner.username}`);
    }
    await owner.web.submit(path, path, { act: 'unlock' });
    expect((await writer.web.get(`/${name}`)).text).not.toContain('locked by');
  });

  it('shows the size on the disk', async () => {
    const page = await owner.web.get(`/${await make()}/settings/maintenance`);
    expect(page.text).toMatch(/takes [\d.]+ k?B on the disk/);
  });

  it('pulls, and invalidates the cache', async () => {
    const remote = await makeGitRemote();
    await remote.commit({ [someFile]: 'a' });
    const name = await make({ clone_uri: remote.url });
    await remote.commit({ [someFile]: 'b' }, 'pulled later');
    const path = `/${name}/settings/maintenance`;
    expect((await owner.web.get(path)).text).not.toContain('value="pull"');
    const answer = await boss.web.submit(path, path, { act: 'pull' });
    await remote.close();
    expect(answer.status).toBe(303);
    expect((await owner.web.get(`/${name}`)).text).toContain('pulled later');
    expect((await owner.web.submit(path, path, { act: 'invalidate_cache' })).status).toBe(303);
    expect((await owner.web.get(path)).text).toContain('The cache of the repository was cleared.');
  });

  it('packs the files of a repository, and removes unreachable objects of git after a confirmation', async () => {
    const remote = await makeGitRemote();
    await remote.commit({ [someFile]: '1' });
    const name = await make({ clone_uri: remote.url });
    await remote.close();
    const path = `/${encodeURI(name)}/settings/maintenance`;
    const packed = await owner.web.submit(path, path, { act: 'maintain' });
    expect([packed.status, packed.headers.get('location')]).toEqual([303, path]);
    expect((await owner.web.get(path)).text).toMatch(/The files of the repository are (being )?packed\./);
    const refused = await owner.web.submit(path, path, { act: 'remove_unreachable' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('confirm the removal first')]);
    await owner.web.submit(path, path, { act: 'remove_unreachable', confirmed: 'true' });
    expect((await owner.web.get(path)).text).toMatch(/Unreachable objects are (being )?removed\./);
    const log = await admin.result<{ args: object }[]>('get_audit_log', {
      userid: owner.username,
      method: 'maintain_repo',
    });
    expect(log.map(({ args }) => args)).toEqual([
      expect.objectContaining({ remove_unreachable: true }),
      expect.not.objectContaining({ remove_unreachable: true }),
    ]);
  });

  it('has all of the repository read when an administrator of the service asks for it', async () => {
    const name = await make();
    const path = `/${name}/settings/maintenance`;
    expect((await owner.web.get(path)).text).not.toContain('value="verify"');
    expect((await owner.web.submit(path, path, { act: 'verify' })).status).toBe(403);
    expect((await boss.web.submit(path, path, { act: 'verify' })).status).toBe(303);
    expect((await boss.web.get(path)).text).toMatch(/All of the repository will be read\.[^]*value="verify"/);
  });

  it.each(['', 'constructor', 'delete'])('refuses an unknown action: %j', async (act) => {
    const path = `/${await make()}/settings/maintenance`;
    expect((await owner.web.submit(path, path, { act })).status).toBe(400);
  });
});

describe('the default branch', () => {
  it('B7 of git is changed by who may write, by the name of a branch', async () => {
    const remote = await makeGitRemote();
    const tip = await remote.commit({ [someFile]: 'a' });
    const name = await make({ clone_uri: remote.url });
    await remote.close();
    await writeFile(join(await storagePathOf(name), 'refs/heads/other'), `${tip}\n`);
    await admin.result('invalidate_cache', { repoid: name });
    const path = `/${encodeURI(name)}/settings/branch`;
    const field = (value: string) => new RegExp(`<input[^>]* name="default_branch" value="${value}"`);
    expect((await writer.web.get(`/${name}`)).text).toContain(`href="${path}"`);
    const page = (await writer.web.get(path)).text;
    expect(page).toMatch(field(mainBranch));
    expect(page).not.toContain(`/${encodeURI(name)}/settings"`);
    const refused = await writer.web.submit(path, path, { default_branch: 'nope' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(field('nope'))]);
    expect(refused.text).toContain('Default branch: there is no branch <code>nope</code>');
    const changed = await writer.web.submit(path, path, { default_branch: 'other' });
    expect([changed.status, changed.headers.get('location')]).toEqual([303, path]);
    expect((await owner.web.get(path)).text).toMatch(field('other'));
    const reader = await makeVisitor();
    expect((await reader.web.get(path)).status).toBe(403);
    expect((await reader.web.get(`/${name}`)).text).not.toContain('/settings');
  });

  it('is one of repositories with branches of git', async () => {
    const name = await make();
    expect((await owner.web.get(`/${name}/settings`)).text).not.toContain('/settings/branch');
    expect((await writer.web.get(`/${name}/settings/branch`)).text).not.toContain('name="default_branch"');
  });
});

describe('deleting', () => {
  it('names the repository, and needs a confirmation', async () => {
    const name = await make();
    const path = `/${name}/settings/delete`;
    const kept = 'An administrator can restore it for 7 days.';
    expect((await owner.web.get(path)).text).toContain(`<strong>${name}</strong> with all its changesets. ${kept}`);
    expect((await owner.web.submit(path, path, {})).status).toBe(400);
    expect(await read(name)).not.toBeNull();
    expect((await owner.web.submit(path, path, { confirmed: 'true' })).headers.get('location')).toBe('/');
    expect((await owner.web.get('/')).text).toContain(`The repository ${name} is deleted. ${kept}`);
    expect(await read(name)).toBeNull();
  });

  it.each(['detach', 'delete'])('needs a choice for forks: %s', async (forks) => {
    const [name, fork] = [await make(), uniqueName('fork')];
    await admin.result('fork_repo', { repoid: name, fork_name: fork, private: true });
    const path = `/${name}/settings/delete`;
    // The owner may not read the fork.
    expect((await owner.web.get(path)).text).not.toContain('value="detach"');
    const refused = await owner.web.submit(path, path, { confirmed: 'true' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('value="detach"');
    expect((await owner.web.submit(path, path, { confirmed: 'true', forks })).status).toBe(303);
    expect((await admin.result('get_repo', { repoid: fork })) === null).toBe(forks === 'delete');
  });
});
