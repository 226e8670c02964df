import { describe, expect, it } from 'vitest';
import { makeRemote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, sql, uniqueName } from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';

interface Lock {
  readonly locked_since: number;
}

describe('lock', () => {
  it('is set, returned and cleared', async () => {
    const repo = await makeRepository('hg');
    const none = { repo, locked: false, locked_since: null, locked_by: null, msg: `Repo \`${repo}\` not locked.` };
    expect(await admin.result('lock', { repoid: repo })).toEqual(none);
    const set = await admin.result<Lock>('lock', { repoid: repo, locked: 'true' });
    expect(set).toEqual({
      repo,
      locked: true,
      locked_since: expect.any(Number),
      locked_by: 'admin',
      msg: `User \`admin\` set lock state for repo \`${repo}\` to \`True\``,
    });
    expect(await admin.result('lock', { repoid: repo })).toEqual({
      ...set,
      msg: expect.stringMatching(/^Repo `.*` locked by `admin` on `"\d{4}-\d\d-\d\dT[\d:.]+"`\.$/),
    });
    expect(await admin.result('lock', { repoid: repo, locked: false })).toEqual({
      repo,
      locked: false,
      locked_since: null,
      locked_by: 'admin',
      msg: `User \`admin\` set lock state for repo \`${repo}\` to \`False\``,
    });
    expect(await admin.result('lock', { repoid: repo })).toEqual(none);
  });

  it('E15 a user with write may lock only for the own user, an administrator for any user', async () => {
    const { id, username, client } = await makeUser();
    const repoid = await makeRepository('git');
    expect(await client.error('lock', { repoid })).toBe(`repository \`${repoid}\` does not exist`);
    await admin.result('grant_user_permission', { repoid, userid: id, perm: 'repository.write' });
    expect(await client.error('lock', { repoid, locked: true, userid: 'admin' })).toBe(
      'userid is not the same as your user',
    );
    for (const userid of [id, String(id), username, null]) {
      expect(await client.result('lock', { repoid, locked: true, userid })).toMatchObject({ locked_by: username });
    }
    expect(await admin.result('lock', { repoid, locked: true, userid: username })).toMatchObject({
      locked_by: username,
    });
    expect(await admin.error('lock', { repoid, locked: true, userid: 'ghost' })).toBe('user `ghost` does not exist');
  });

  it('E15 an administrator breaks another user’s lock', async () => {
    const { id, username, client } = await makeUser();
    const repoid = await makeRepository('hg');
    await admin.result('grant_user_permission', { repoid, userid: id, perm: 'repository.write' });
    await client.result('lock', { repoid, locked: true });
    expect(await admin.result('get_locks', { userid: username })).toMatchObject([{ repo_name: repoid }]);
    await admin.result('lock', { repoid, locked: false });
    expect(await admin.result('get_locks', { userid: username })).toEqual([]);
    expect(await client.result('lock', { repoid })).toMatchObject({ locked: false, locked_by: null });
  });

  it('refuses a wrong value', async () => {
    const repoid = await makeRepository('git');
    expect(await admin.error('lock', { repoid, locked: 'maybe' })).toBe(
      'Invalid value for `locked`: must be a boolean',
    );
  });
});

describe.each(repositoryTypes)('invalidate_cache %s', (type) => {
  it('reads the newest changeset again, and begins a new generation', async () => {
    const remote = await makeRemote[type]();
    const name = uniqueName(type);
    try {
      const rawId = await remote.commit({ [someFile]: '1' });
      await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
      const generation = async () =>
        Number((await sql`select generation from repositories where name = ${name}`)[0]?.['generation']);
      const before = await generation();
      await sql`update repositories set last_changeset = null where name = ${name}`;
      expect(await admin.result('invalidate_cache', { repoid: name })).toBe(
        `Caches of repository \`${name}\` was invalidated`,
      );
      expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ last_changeset: { raw_id: rawId } });
      expect(await generation()).toBe(before + 1);
    } finally {
      await remote.close();
    }
  });

  it('fails for a repository whose bytes are missing', async () => {
    const name = await makeRepository(type);
    await sql`update repositories set storage_path = ${`@repos/00/${name}`} where name = ${name}`;
    expect(await admin.error('invalidate_cache', { repoid: name })).toBe(
      'Error occurred during cache invalidation action',
    );
  });

  it('is refused without write', async () => {
    const { id, client } = await makeUser();
    const name = await makeRepository(type);
    expect(await client.error('invalidate_cache', { repoid: name })).toBe(`repository \`${name}\` does not exist`);
    await admin.result('grant_user_permission', { repoid: name, userid: id, perm: 'repository.write' });
    await client.result('invalidate_cache', { repoid: name });
  });
});
