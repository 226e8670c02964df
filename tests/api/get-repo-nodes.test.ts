import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch } from '../harness/unique-name.ts';

const first = { 'readme.txt': '1', 'docs/a.txt': 'a' };
const second = { 'docs/deep/b.txt': 'b', 'Zebra/z.txt': 'z', 'src/ü.txt': 'u' };

/** Returns a prefix of an id that has a letter, since digits alone are a revision number. */
const prefixOf = (id: string) => id.slice(0, Math.max(9, id.search(/[a-f]/) + 1));

describe.each(repositoryTypes)('get_repo_nodes %s', (type) => {
  let remote: Remote;
  let repoid: string;
  let oldId: string;
  let newId: string;

  beforeAll(async () => {
    remote = await makeRemote[type]();
    oldId = await remote.commit(first, 'first');
    newId = await remote.commit(second, 'second');
    repoid = uniqueName(type);
    await admin.result('create_repo', { repo_name: repoid, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  const nodes = (args: Record<string, unknown>) => admin.result('get_repo_nodes', { repoid, root_path: '/', ...args });

  it('lists directories first, then files, in the order of a walk', async () => {
    const expected = [
      { name: 'Zebra', type: 'dir' },
      { name: 'docs', type: 'dir' },
      { name: 'src', type: 'dir' },
      { name: 'docs/deep', type: 'dir' },
      { name: 'readme.txt', type: 'file' },
      { name: 'Zebra/z.txt', type: 'file' },
      { name: 'docs/a.txt', type: 'file' },
      { name: 'docs/deep/b.txt', type: 'file' },
      { name: 'src/ü.txt', type: 'file' },
    ];
    // A prefix of only digits would name a revision number, so that `prefixOf` includes a letter.
    for (const revision of ['tip', '', 'HEAD', 'head', null, -1, '-1', newId, prefixOf(newId), 1, '1']) {
      expect(await nodes({ revision })).toEqual(expected);
    }
  });

  it('lists an old revision, by id and by number', async () => {
    const expected = [
      { name: 'docs', type: 'dir' },
      { name: 'readme.txt', type: 'file' },
      { name: 'docs/a.txt', type: 'file' },
    ];
    for (const revision of [oldId, 0, '0']) expect(await nodes({ revision })).toEqual(expected);
  });

  it('lists full paths below a directory, without the directory itself', async () => {
    const expected = [
      { name: 'docs/deep', type: 'dir' },
      { name: 'docs/a.txt', type: 'file' },
      { name: 'docs/deep/b.txt', type: 'file' },
    ];
    for (const root_path of ['docs', '/docs', 'docs/', '//docs/']) {
      expect(await nodes({ revision: 'tip', root_path })).toEqual(expected);
    }
  });

  it('lists only files or only directories', async () => {
    expect(await nodes({ revision: 0, ret_type: 'files' })).toEqual([
      { name: 'readme.txt', type: 'file' },
      { name: 'docs/a.txt', type: 'file' },
    ]);
    expect(await nodes({ revision: 0, ret_type: 'dirs' })).toEqual([{ name: 'docs', type: 'dir' }]);
  });

  it('returns pages, each after the last entry of the previous one', async () => {
    const whole = await nodes({ revision: 'tip' });
    const first = (await nodes({ revision: 'tip', limit: 4 })) as { name: string }[];
    const rest = await nodes({ revision: 'tip', limit: '9', cursor: first.at(-1)?.name });
    expect([...first, ...(rest as object[])]).toEqual(whole);
    expect(first).toHaveLength(4);
    expect(await admin.error('get_repo_nodes', { repoid, root_path: '/', revision: 'tip', cursor: 'none' })).toBe(
      `failed to get repo: \`${repoid}\` nodes`,
    );
  });

  it('lists a branch', async () => {
    const revision = type === 'git' ? mainBranch : 'default';
    expect(await nodes({ revision, ret_type: 'dirs', root_path: 'docs' })).toEqual([
      { name: 'docs/deep', type: 'dir' },
    ]);
  });

  const failed = () => `failed to get repo: \`${repoid}\` nodes`;

  it.each([
    'no-such-revision',
    'f'.repeat(40),
    '99999',
    'tip~1',
    'all()',
    '..',
    '--config=alias.files=!touch canary',
    '--output=canary',
    ':/first',
    'HEAD^{/first}',
    '@{1}',
    'x\n--help',
    'matching(all())',
  ])('D1 D3 D5 unknown revision %j', async (revision) => {
    expect(await admin.error('get_repo_nodes', { repoid, revision, root_path: '/' })).toBe(failed());
    expect(await nodes({ revision: 0, ret_type: 'dirs' })).toEqual([{ name: 'docs', type: 'dir' }]);
  });

  it.each([
    'nothing',
    'readme.txt',
    '..',
    'docs/../..',
    '.',
    'a//b',
    'listfile:/etc/passwd',
    're:.*',
    '-R',
    '--',
    "set:grep('x')",
    null,
  ])('D2 unknown path %j', async (root_path) => {
    const text = await admin.error('get_repo_nodes', { repoid, revision: 'tip', root_path });
    expect(text).toBe(failed());
  });

  it('refuses a wrong ret_type, after the revision is checked', async () => {
    const call = (revision: string) =>
      admin.error('get_repo_nodes', { repoid, revision, root_path: '', ret_type: 'x' });
    expect(await call('tip')).toBe('ret_type must be one of files,dirs,all');
    expect(await call('nope')).toBe(failed());
  });

  it('an empty repository has no revision', async () => {
    const name = await makeRepository(type);
    expect(await admin.error('get_repo_nodes', { repoid: name, revision: 'tip', root_path: '/' })).toBe(
      `failed to get repo: \`${name}\` nodes`,
    );
  });

  it('is refused to a user who may read the repository', async () => {
    const { client } = await makeUser();
    expect(await client.error('get_repo_nodes', { repoid, revision: 'tip', root_path: '/' })).toBe(
      'Access was denied to this resource.',
    );
  });
});

describe('get_repo_nodes', () => {
  it('reports missing arguments in the order of their declaration', async () => {
    expect(await admin.error('get_repo_nodes', {})).toBe('Missing non optional `repoid` arg in JSON DATA');
    expect(await admin.error('get_repo_nodes', { repoid: 'x' })).toBe(
      'Missing non optional `revision` arg in JSON DATA',
    );
    expect(await admin.error('get_repo_nodes', { repoid: 'x', revision: 1 })).toBe(
      'Missing non optional `root_path` arg in JSON DATA',
    );
  });

  it('refuses an unknown repository', async () => {
    expect(await admin.error('get_repo_nodes', { repoid: 'gone', revision: 'tip', root_path: '/' })).toBe(
      'repository `gone` does not exist',
    );
  });
});
