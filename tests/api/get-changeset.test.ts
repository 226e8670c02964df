import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch } from '../harness/unique-name.ts';

interface Changeset {
  readonly raw_id: string;
  readonly revision: number;
}

describe.each(repositoryTypes)('get_changeset %s', (type) => {
  let remote: Remote;
  let repoid: string;
  let ids: readonly string[];

  beforeAll(async () => {
    remote = await makeRemote[type]();
    const first = await remote.commit({ 'readme.txt': '1', 'docs/ü.txt': 'a' }, 'first');
    ids = [first, await remote.commit({ 'readme.txt': '2', 'b.txt': 'b' }, 'second')];
    repoid = uniqueName(type);
    await admin.result('create_repo', { repo_name: repoid, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  const changeset = (args: Record<string, unknown>) => admin.result<Changeset>('get_changeset', { repoid, ...args });
  const missing = (revision: string | number) => `Changeset \`${revision}\` does not exist`;

  it('returns the newest one like last_changeset, with parents and branch', async () => {
    const { last_changeset: last } = await admin.result<{ last_changeset: object }>('get_repo', { repoid });
    const expected = { ...last, parents: [ids[0]], branch: type === 'hg' ? 'default' : null };
    for (const revision of ['tip', '', 'HEAD', null, -1, ids[1], 1, '1', type === 'hg' ? 'default' : mainBranch]) {
      expect(await changeset({ revision })).toEqual(expected);
    }
    expect(await changeset({ raw_id: ids[1] })).toEqual(expected);
  });

  it('returns files only when asked, compared with the first parent or with nothing', async () => {
    expect(await changeset({ revision: 1, with_file_list: true })).toMatchObject({
      added: ['b.txt'],
      changed: ['readme.txt'],
      removed: [],
    });
    expect(await changeset({ revision: 0, with_file_list: 'yes' })).toMatchObject({
      parents: [],
      added: ['docs/ü.txt', 'readme.txt'],
      changed: [],
      removed: [],
    });
    expect(await changeset({ revision: 0, with_file_list: false })).not.toHaveProperty('added');
  });

  it.each([
    'no-such',
    'f'.repeat(40),
    '0'.repeat(40),
    99,
    'tip~1',
    'all()',
    '--config=alias.log=!x',
    '--output=x',
    '@{1}',
  ])('D1 D3 D5 unknown revision %j', async (revision) => {
    expect(await admin.error('get_changeset', { repoid, revision })).toBe(missing(revision));
    expect(await changeset({ revision: 0 })).toMatchObject({ raw_id: ids[0], revision: 0 });
  });

  it('an empty repository has no changeset', async () => {
    const empty = await makeRepository(type);
    for (const revision of ['tip', 0]) {
      expect(await admin.error('get_changeset', { repoid: empty, revision })).toBe(missing(revision));
    }
    expect(await admin.error('get_changeset', { repoid: empty, revision: null })).toBe(missing('None'));
  });

  it('is allowed with read; without it the repository is answered as missing', async () => {
    const { client } = await makeUser();
    expect(await client.result('get_changeset', { repoid, revision: 0 })).toMatchObject({ raw_id: ids[0] });
    const hidden = await makeRepository(type, { private: true });
    for (const absent of [hidden, uniqueName('ghost')]) {
      for (const revision of [0, 'no-such']) {
        expect(await client.error('get_changeset', { repoid: absent, revision })).toBe(
          `repository \`${absent}\` does not exist`,
        );
      }
    }
  });
});
