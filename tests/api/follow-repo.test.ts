import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';

const notSelf = 'userid is not the same as your user';
const methods = ['follow_repo', 'unfollow_repo'];

async function followersOf(repoid: string): Promise<string[]> {
  const { followers } = await admin.result<{ followers: { username: string }[] }>('get_repo', { repoid });
  return followers.map(({ username }) => username);
}

describe.each(repositoryTypes)('follow_repo and unfollow_repo, %s', (type) => {
  it('by the caller: is listed once, after the owner', async () => {
    const { username, client } = await makeUser();
    const repo = await makeRepository(type);
    const follows = `user \`${username}\` follows repo \`${repo}\``;
    const not = `user \`${username}\` does not follow repo \`${repo}\``;
    expect(await client.result('follow_repo', { repoid: repo })).toEqual({ success: true, msg: follows });
    expect(await client.result('follow_repo', { repoid: repo, userid: username })).toEqual({
      success: false,
      msg: follows,
    });
    expect(await followersOf(repo)).toEqual(['admin', username]);
    expect(await client.result('unfollow_repo', { repoid: repo })).toEqual({ success: true, msg: not });
    expect(await client.result('unfollow_repo', { repoid: repo })).toEqual({ success: false, msg: not });
    expect(await followersOf(repo)).toEqual(['admin']);
  });
});

describe('follow_repo and unfollow_repo', () => {
  it('by an administrator: for any user; the owner may unfollow, too', async () => {
    const { id, username } = await makeUser();
    const repo = await makeRepository('git');
    expect(await admin.result('follow_repo', { repoid: repo, userid: id })).toEqual({
      success: true,
      msg: `user \`${username}\` follows repo \`${repo}\``,
    });
    await admin.result('unfollow_repo', { repoid: repo });
    expect(await followersOf(repo)).toEqual([username]);
  });

  it('for another user: refused', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    const repo = await makeRepository('git');
    await ann.client.result('follow_repo', { repoid: repo });
    for (const method of methods) {
      for (const userid of [ann.id, ann.username, 'ghost', 'default']) {
        expect(await bob.client.error(method, { repoid: repo, userid })).toBe(notSelf);
      }
    }
    expect(await followersOf(repo)).toEqual(['admin', ann.username]);
  });

  it.each(methods)('B10 %s: a repository that the caller may not read is answered as missing', async (method) => {
    const { client } = await makeUser();
    const hidden = await makeRepository('hg', { private: true });
    for (const repoid of [hidden, 'no/such']) {
      expect(await client.error(method, { repoid })).toBe(`repository \`${repoid}\` does not exist`);
    }
    expect(await admin.error(method, { repoid: 'no/such' })).toBe('repository `no/such` does not exist');
    expect(await followersOf(hidden)).toEqual(['admin']);
  });

  it('B10 a follower who may not read any more may unfollow, and learns neither a new name nor later activity', async () => {
    const { username, client } = await makeUser();
    const repo = await makeRepository('git');
    await client.result('follow_repo', { repoid: repo });
    const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: repo });
    const renamed = uniqueName('renamed');
    await admin.result('update_repo', { repoid: repo, name: renamed, private: true });
    await admin.result('revoke_user_permission', { repoid: renamed, userid: 'default' });
    const missing = `repository \`${id}\` does not exist`;
    expect(await client.error('follow_repo', { repoid: id })).toBe(missing);
    expect(await client.result('unfollow_repo', { repoid: id })).toEqual({
      success: true,
      msg: `user \`${username}\` does not follow repo \`${id}\``,
    });
    expect(await followersOf(renamed)).toEqual(['admin']);
    expect(await client.error('unfollow_repo', { repoid: id })).toBe(missing);
    for (const userid of ['admin', 'ghost', 'default']) {
      for (const repoid of [renamed, 'no/such']) {
        expect(await client.error('unfollow_repo', { repoid, userid })).toBe(`repository \`${repoid}\` does not exist`);
      }
    }
  });

  it.each(methods)('%s refuses `default` and unknown users', async (method) => {
    const repoid = await makeRepository('git');
    expect(await admin.error(method, { repoid, userid: 'default' })).toBe('editing default user is forbidden');
    expect(await admin.error(method, { repoid, userid: 'ghost' })).toBe('user `ghost` does not exist');
  });
});
