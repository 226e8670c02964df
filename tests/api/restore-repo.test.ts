import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeletedRepositoryRecord } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { makeRemote } from '../harness/remotes.ts';
import {
  admin,
  makeRepository,
  makeUser,
  repositoryTypes,
  sql,
  storagePathOf,
  uniqueName,
} from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';

interface Details {
  readonly repo_id: number;
  readonly members: readonly { readonly username?: string; readonly permission: string }[];
  readonly followers: readonly { readonly username: string }[];
}

const nothingLeftOut = { user_permissions: 0, user_group_permissions: 0, followers: 0 };
const details = (repoid: unknown) => admin.result<Details>('get_repo', { repoid });
const deletedOnes = (args: Record<string, unknown> = {}) =>
  admin.result<DeletedRepositoryRecord[]>('get_deleted_repos', { limit: 10_000, ...args });
const restore = (id: number, name?: string) => admin.result('restore_repo', { id, ...(name && { name }) });

/** Deletes a repository and returns its id. */
async function remove(name: string, forks?: string): Promise<number> {
  const { repo_id: id } = await details(name);
  await admin.result('delete_repo', { repoid: name, ...(forks && { forks }) });
  return id;
}

async function makeGroupOf(user: number): Promise<string> {
  const group_name = uniqueName('team');
  await admin.result('create_user_group', { group_name });
  await admin.result('add_user_to_user_group', { usersgroupid: group_name, userid: user });
  return group_name;
}

async function findDeleted(id: number): Promise<DeletedRepositoryRecord | undefined> {
  return (await deletedOnes()).find(({ repo_id: of }) => of === id);
}

describe.each(repositoryTypes)('restore_repo %s', (type) => {
  it('brings everything back that get_repo tells, and the content', async () => {
    const remote = await makeRemote[type]();
    const clone_uri = remote.url.replace('//', '//somebody:a-password@');
    await remote.commit({ [someFile]: '1' });
    const owner = await makeUser();
    const name = uniqueName(type);
    const description = 'All of it';
    const args = { repo_type: type, clone_uri: remote.url, owner: owner.username, private: true, description };
    await admin.result('create_repo', { repo_name: name, ...args, enable_downloads: true });
    await admin.result('update_repo', { repoid: name, clone_uri });
    const reader = await makeUser();
    const group = await makeGroupOf(reader.id);
    await admin.result('grant_user_permission', { repoid: name, userid: reader.id, perm: 'repository.write' });
    await admin.result('grant_user_group_permission', { repoid: name, usersgroupid: group, perm: 'repository.read' });
    await admin.result('follow_repo', { repoid: name, userid: reader.id });
    await admin.result('lock', { repoid: name, userid: reader.id, locked: true });
    const changesets = () => admin.result('get_changesets', { repoid: name });
    const before = { record: await details(name), changesets: await changesets() };

    const id = await remove(name);
    expect(await findDeleted(id)).toMatchObject({
      repo_name: name,
      repo_type: type,
      description,
      private: true,
      owner: owner.username,
      deleted_by: 'admin',
      restoring: false,
    });
    expect(await restore(id)).toEqual({
      msg: `Restored repository \`${name}\``,
      success: true,
      repo_name: name,
      owner: owner.username,
      forks: 0,
      left_out: nothingLeftOut,
    });
    expect({ record: await details(id), changesets: await changesets() }).toEqual(before);
    expect(await admin.result('lock', { repoid: name })).toMatchObject({ locked: true });
    expect(await reader.client.result('get_repo', { repoid: name })).toMatchObject({ repo_id: id });
    expect(await findDeleted(id)).toBeUndefined();
    // The sealed password of the remote is there, too: who restored it is shown the whole URL.
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ clone_uri });
    const rawId = await remote.commit({ [someFile]: '2' });
    await admin.result('update_repo', { repoid: name, clone_uri: remote.url });
    await admin.result('lock', { repoid: name, locked: false });
    await admin.result('pull', { repoid: name });
    expect(await details(name)).toMatchObject({ last_changeset: { raw_id: rawId } });
    await remote.close();
  });
});

describe('restore_repo', () => {
  it('brings a repository back as often as it is deleted', async () => {
    const name = await makeRepository('git');
    for (const _round of [1, 2]) {
      const id = await remove(name);
      await restore(id);
      expect(await details(name)).toMatchObject({ repo_id: id });
      expect(existsSync(await storagePathOf(name))).toBe(true);
    }
  });

  it('takes another name, and makes the groups that it lacks', async () => {
    const group = uniqueName('group');
    const id = await remove(await makeRepository('git'));
    expect(await restore(id, `${group}/sub/back`)).toMatchObject({ repo_name: `${group}/sub/back` });
    expect(await details(id)).toMatchObject({ repo_name: `${group}/sub/back` });
    expect(await admin.result('get_repo_group', { repogroupid: `${group}/sub` })).toMatchObject({
      group_name: `${group}/sub`,
    });
  });

  it('refuses a name that is taken or no name, and names the argument', async () => {
    const name = await makeRepository('git');
    const id = await remove(name);
    await admin.result('create_repo', { repo_name: name });
    const error = (sent?: string) => admin.error('restore_repo', { id, ...(sent !== undefined && { name: sent }) });
    expect(await error()).toBe(`Invalid value for \`name\`: repo \`${name}\` already exist`);
    expect(await error(`${name}/below`)).toBe(`Invalid value for \`name\`: \`${name}\` is a repository`);
    expect(await error('-x')).toBe('Invalid value for `name`: a segment must not begin with `.` or `-`');
    expect(await restore(id, `${name}-back`)).toMatchObject({ repo_name: `${name}-back` });
  });

  it('leaves out and counts what belonged to users and groups that are gone', async () => {
    const [owner, member] = [await makeUser(), await makeUser()];
    const name = await makeRepository('hg', { owner: owner.username });
    const group = await makeGroupOf(member.id);
    await admin.result('grant_user_permission', { repoid: name, userid: member.id, perm: 'repository.admin' });
    await admin.result('grant_user_group_permission', { repoid: name, usersgroupid: group, perm: 'repository.read' });
    await admin.result('follow_repo', { repoid: name, userid: member.id });
    await admin.result('lock', { repoid: name, userid: member.id, locked: true });
    const id = await remove(name);
    await admin.result('delete_user_group', { usersgroupid: group });
    for (const { id: userid } of [owner, member]) await admin.result('delete_user', { userid });
    expect(await findDeleted(id)).toMatchObject({ owner: null });
    expect(await restore(id)).toMatchObject({
      owner: 'admin',
      // The owner followed the repository, too.
      left_out: { user_permissions: 1, user_group_permissions: 1, followers: 2 },
    });
    const { members, followers } = await details(name);
    expect(members.map(({ username }) => username)).toEqual(['default']);
    expect(followers).toEqual([]);
    expect(await admin.result('lock', { repoid: name })).toMatchObject({ locked: false });
  });

  it('attaches forks again where nothing else was set', async () => {
    const [source, other] = [await makeRepository('git'), await makeRepository('git')];
    const forks = [`${source}-1`, `${source}-2`, `${source}-3`];
    for (const fork_name of forks) await admin.result('fork_repo', { repoid: source, fork_name });
    const id = await remove(source, 'detach');
    await sql`update repositories set fork_of_id = (select id from repositories where name = ${other})
      where name = ${forks[0] ?? ''}`;
    const deleted = await remove(String(forks[1]));
    const forkOf = async (name: string | undefined) => (await details(name)) as Details & { fork_of: string | null };
    expect(await restore(id)).toMatchObject({ forks: 1 });
    expect(await forkOf(forks[0])).toMatchObject({ fork_of: other });
    expect(await forkOf(forks[2])).toMatchObject({ fork_of: source });
    // A fork that is restored after its source is attached, too, and so is one that is restored before.
    await restore(deleted);
    expect(await forkOf(forks[1])).toMatchObject({ fork_of: source });
    const both = { fork: await remove(String(forks[1])), source: await remove(source, 'detach') };
    await restore(both.fork);
    expect(await forkOf(forks[1])).toMatchObject({ fork_of: null });
    expect(await restore(both.source)).toMatchObject({ forks: 2 });
    expect(await forkOf(forks[1])).toMatchObject({ fork_of: source });
  });

  it('takes no path at which a copy of it may be', async () => {
    const name = await makeRepository('git');
    const path = await storagePathOf(name);
    const left = `${path}.2`;
    await sql`insert into repository_copies (storage_id, storage_path, repository_id, role, operation_id, epoch, created_at)
      select storage_id, storage_path || '.2', id, 'leaving', gen_random_uuid(), epoch + 1, now() + interval '1 hour'
      from repositories where name = ${name}`;
    await mkdir(left);
    const id = await remove(name);
    await restore(id);
    expect(await storagePathOf(name)).toBe(`${path}.3`);
    expect(existsSync(`${path}.3/HEAD`)).toBe(true);
    expect(await readdir(left)).toEqual([]);
    await sql`delete from repository_copies where repository_id = ${id}`;
    await rm(left, { recursive: true });
  });

  it('attaches a fork to no source that is being deleted', async () => {
    const source = await makeRepository('git');
    const fork = `${source}-fork`;
    await admin.result('fork_repo', { repoid: source, fork_name: fork });
    const id = await remove(fork);
    await sql`update repositories set state = 'deleting' where name = ${source}`;
    await restore(id);
    await sql`update repositories set state = 'ready' where name = ${source}`;
    expect(await details(fork)).toMatchObject({ fork_of: null });
  });

  it('C7 restores a repository once, however often it is asked to at once', async () => {
    const name = await makeRepository('git');
    const id = await remove(name);
    const replies = await Promise.all(Array.from({ length: 6 }, () => admin.call('restore_repo', { id })));
    expect(replies.filter(({ error }) => error === null)).toHaveLength(1);
    const known = [
      `deleted repository \`${id}\` does not exist`,
      `Repository \`${name}\` is already being restored`,
      'Service is temporarily unavailable, try again later',
    ];
    expect(replies.filter(({ error }) => error !== null && !known.includes(error))).toEqual([]);
    expect(await details(id)).toMatchObject({ repo_name: name });
  });

  it('fails when the files are no longer in the trash, and leaves nothing behind', async () => {
    const name = `${uniqueName('group')}/gone`;
    await admin.result('create_repo', { repo_name: name });
    const storageRoot = (await storagePathOf(name)).split('/@repos/')[0] ?? '';
    const id = await remove(name);
    await admin.result('delete_repo_group', { repogroupid: name.split('/')[0] });
    const [row] = await sql<{ deletion: string }[]>`
      select operation_id as deletion from deleted_repositories where repository_id = ${id}`;
    const entries = await readdir(join(storageRoot, '@trash'));
    const entry = entries.find((one) => one.endsWith(String(row?.deletion)));
    await rm(join(storageRoot, '@trash', String(entry)), { recursive: true });
    expect(await admin.error('restore_repo', { id })).toBe(
      `failed to restore repository \`${name}\`: its files are no longer in the trash`,
    );
    expect(await admin.error('restore_repo', { id })).toBe(`deleted repository \`${id}\` does not exist`);
    expect(await sql`select 1 from names where path like ${`${name.split('/')[0]}%`}`).toEqual([]);
  });

  it('is an operation that the audit log has', async () => {
    const name = await makeRepository('git');
    const id = await remove(name);
    await restore(id);
    const [entry] = await admin.result<{ request_id: string }[]>('get_audit_log', { method: 'restore_repo', limit: 1 });
    expect(entry).toMatchObject({ method: 'restore_repo', args: { id }, outcome: 'succeeded' });
    const operation = await admin.result('get_operation', { operation_id: entry?.request_id });
    expect(operation).toMatchObject({ kind: 'restore', repo_name: name, state: 'done', user: 'admin' });
  });

  it('B7 is for administrators alone, also for a repository of their own', async () => {
    const owner = await makeUser();
    const name = await makeRepository('git', { owner: owner.username });
    const id = await remove(name);
    for (const method of ['restore_repo', 'get_deleted_repos']) {
      expect(await owner.client.error(method, method === 'restore_repo' ? { id } : {})).toBe(
        'Access was denied to this resource.',
      );
    }
    expect(await findDeleted(id)).toBeDefined();
  });

  it('B9 refuses every other id', async () => {
    const { repo_id: id } = await details(await makeRepository('git'));
    expect(await admin.error('restore_repo', { id })).toBe(`deleted repository \`${id}\` does not exist`);
    for (const wrong of [0, -1, 1.5, 'x', null, 2 ** 31]) {
      expect(await admin.error('restore_repo', { id: wrong })).toMatch(/^Invalid value for `id`|`id`/);
    }
  });
});

describe('get_deleted_repos', () => {
  it('lists the last deleted first, page by page', async () => {
    const ids: number[] = [];
    for (const _one of [1, 2, 3]) ids.push(await remove(await makeRepository('git')));
    const all = (await deletedOnes()).map(({ repo_id: id }) => id).filter((id) => ids.includes(id));
    expect(all).toEqual(ids.toReversed());
    const after = (await deletedOnes({ cursor: ids[1] })).map(({ repo_id: id }) => id);
    expect(after).toContain(ids[0]);
    expect(after).not.toContain(ids[1]);
    expect(after).not.toContain(ids[2]);
    expect(await deletedOnes({ limit: 1 })).toHaveLength(1);
    expect(await admin.error('get_deleted_repos', { cursor: 2 ** 31 - 1 })).toBe(
      'Invalid value for `cursor`: there is no deleted repository `2147483647`',
    );
  });

  it('lists nothing whose files are about to be removed', async () => {
    const id = await remove(await makeRepository('git'));
    await sql`update deleted_repositories set deleted_at = deleted_at - interval '8 days' where repository_id = ${id}`;
    expect(await findDeleted(id)).toBeUndefined();
    expect(await admin.error('restore_repo', { id })).toBe(`deleted repository \`${id}\` does not exist`);
  });
});
