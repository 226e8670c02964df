import { describe, expect, it } from 'vitest';
import { makeRemote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, sql, uniqueName } from '../harness/shared-cluster.ts';

interface Repo {
  readonly last_changeset: { readonly raw_id: string; readonly revision: number; readonly message: string };
}

describe.each(repositoryTypes)('pull %s', (type) => {
  it('admin: brings what is new', async () => {
    const remote = await makeRemote[type]();
    try {
      await remote.commit({ a: '1' });
      const name = uniqueName(type);
      await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
      const rawId = await remote.commit({ b: '2' }, 'the second');
      expect(await admin.result('pull', { repoid: name })).toBe(`Pulled from \`${name}\``);
      const { last_changeset } = await admin.result<Repo>('get_repo', { repoid: name });
      expect(last_changeset).toMatchObject({ raw_id: rawId, revision: 1 });
      expect(last_changeset.message.trim()).toBe('the second');
      expect(await admin.result('pull', { repoid: name })).toBe(`Pulled from \`${name}\``);
    } finally {
      await remote.close();
    }
  });

  it('several at once on one repository: each gets its turn', async () => {
    const remote = await makeRemote[type]();
    try {
      await remote.commit({ a: '1' });
      const name = uniqueName(type);
      await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
      await remote.commit({ b: '2' });
      const replies = await Promise.all(Array.from({ length: 5 }, () => admin.result('pull', { repoid: name })));
      expect(new Set(replies)).toEqual(new Set([`Pulled from \`${name}\``]));
    } finally {
      await remote.close();
    }
  });

  it('the remote has gone', async () => {
    const remote = await makeRemote[type]();
    await remote.commit({ a: '1' });
    const name = uniqueName(type);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
    await remote.close();
    const generation = async () =>
      (await sql`select generation from repositories where name = ${name}`)[0]?.['generation'];
    const before = Number(await generation());
    expect(await admin.error('pull', { repoid: name })).toBe(`Unable to pull changes from \`${name}\``);
    // Some of it may have arrived.
    expect(Number(await generation())).toBe(before + 1);
    const rows = await sql`select state, error from operations where kind = 'pull' and request->>'name' = ${name}`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { state: 'failed', error: `Unable to pull changes from \`${name}\`` },
    ]);
  });

  it('no remote location', async () => {
    const name = await makeRepository(type);
    expect(await admin.error('pull', { repoid: name })).toBe(`Unable to pull changes from \`${name}\``);
  });
});

describe('pull', () => {
  it('missing argument', async () => {
    expect(await admin.error('pull')).toBe('Missing non optional `repoid` arg in JSON DATA');
  });

  it('unknown repository', async () => {
    expect(await admin.error('pull', { repoid: 'gone' })).toBe('repository `gone` does not exist');
  });

  it('no permission, not even for the owner', async () => {
    const { client, username } = await makeUser();
    const name = await makeRepository('git', { owner: username });
    expect(await client.error('pull', { repoid: name })).toBe('Access was denied to this resource.');
  });
});
