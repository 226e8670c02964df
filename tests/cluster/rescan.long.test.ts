import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeBareGitOnDisk, makeGitOnDisk, makeHgOnDisk, makeOnDisk } from '../harness/repositories-on-disk.ts';
import { hg, makeHgRemote } from '../harness/remotes.ts';
import { nothing, openRescanBench, type RescanBench } from '../harness/rescan-bench.ts';
import { someFile } from '../harness/unique-name.ts';

interface Operation {
  readonly operation_id: string;
  readonly kind: string;
  readonly repo_name: string;
}

let bench: RescanBench;

beforeAll(async () => {
  bench = await openRescanBench(inject('postgresUrl'));
});
afterEach(() => bench.empty());
afterAll(() => bench.close());

describe('rescan_repos adopts', () => {
  it.each(['hg', 'git', 'bare git'] as const)('%s at its path, and reports it once', async (kind) => {
    const rawId = await makeOnDisk[kind](bench.at('team/sub/tool'));
    expect(await bench.rescan()).toEqual({ added: ['team/sub/tool'], removed: [] });
    expect(await bench.admin.result('get_repo', { repoid: 'team/sub/tool' })).toMatchObject({
      repo_type: kind === 'hg' ? 'hg' : 'git',
      description: 'team/sub/tool repository',
      owner: 'admin',
      private: false,
      enable_downloads: false,
      last_changeset: { raw_id: rawId, message: kind === 'hg' ? 'first' : 'first\n' },
    });
    expect(await bench.nodesOf('team/sub/tool')).toEqual([{ name: someFile, type: 'file' }]);
    expect(await bench.sql`select name from repo_groups order by id`).toMatchObject([
      { name: 'team' },
      { name: 'team/sub' },
    ]);
    expect(await bench.rescan()).toEqual(nothing);
    expect(await bench.rescan({ remove_obsolete: true })).toEqual(nothing);
  });

  it('x.git as x, with its description', async () => {
    await makeBareGitOnDisk(bench.at('lib.git'));
    await writeFile(bench.at('lib.git/description'), 'The library\n');
    await makeHgOnDisk(bench.at('web'));
    await writeFile(bench.at('web/.hg/hgrc'), '[ui]\nusername = x\n\n[web]\ndescription = The web\n');
    expect(await bench.rescan()).toEqual({ added: ['lib', 'web'], removed: [] });
    expect(await bench.admin.result('get_repo', { repoid: 'lib' })).toMatchObject({ description: 'The library' });
    expect(await bench.admin.result('get_repo', { repoid: 'web' })).toMatchObject({ description: 'The web' });
  });

  it('bare git with an unreadable description or one that is too long', async () => {
    const described = {
      placeholder: "Unnamed repository; edit this file 'description' to name the repository.\n",
      unnamed: 'Unnamed repository of the archive\n',
      latin: Buffer.from('B\xfccher\n', 'latin1'),
      coloured: '\u001b[31mred\n',
      long: `${'a'.repeat(9_999)}\u{1f4da}${'b'.repeat(2 * 2 ** 20)}`,
    };
    for (const [name, description] of Object.entries(described)) {
      await makeBareGitOnDisk(bench.at(name));
      await writeFile(bench.at(name, 'description'), description);
    }
    expect(new Set((await bench.rescan()).added)).toEqual(new Set(Object.keys(described)));
    const shown = await bench.admin.result<{ repo_name: string; description: string }[]>('get_repos');
    expect(Object.fromEntries(shown.map((repo) => [repo.repo_name, repo.description]))).toEqual({
      placeholder: 'placeholder repository',
      unnamed: 'Unnamed repository of the archive',
      latin: 'latin repository',
      coloured: 'coloured repository',
      long: 'a'.repeat(9_999),
    });
  });

  it('empty repositories', async () => {
    await bench.admin.result('create_repo', { repo_name: 'made', repo_type: 'git' });
    await rename(await bench.pathOf('made'), bench.at('moved'));
    expect(await bench.rescan({ remove_obsolete: true })).toEqual({ added: ['moved'], removed: ['made'] });
    expect(await bench.admin.result('get_repo', { repoid: 'moved' })).toMatchObject({
      last_changeset: { revision: -1 },
    });
  });

  it('nothing that is hidden, deleted, created by the service, within a repository, or no repository', async () => {
    await makeHgOnDisk(bench.at('.hidden'));
    await makeHgOnDisk(bench.at('group/rm__20260101_101010_000000__old'));
    await makeHgOnDisk(bench.at('@repos/x'));
    await makeHgOnDisk(bench.at('@staging/x'));
    await makeHgOnDisk(bench.at('@trash/x'));
    await mkdir(bench.at('empty/directory'), { recursive: true });
    await makeHgOnDisk(bench.at('outer'));
    await makeGitOnDisk(bench.at('outer/inner'));
    expect(await bench.rescan()).toEqual({ added: ['outer'], removed: [] });
    await rm(bench.at('@repos/x'), { recursive: true });
    await rm(bench.at('@staging/x'), { recursive: true });
  });

  it('B6 C1 nothing under a name that is taken or invalid, with the reason in the log', async () => {
    await bench.admin.result('create_repo', { repo_name: 'taken', repo_type: 'hg' });
    await bench.admin.result('create_repo', { repo_name: 'group/inside', repo_type: 'hg' });
    const refused = ['taken', 'taken.git', 'taken/below', 'group', '42', 'a b', '-x', '_admin', '_7', 'x.hg', 'd.'];
    const more = [
      'cafe\u0301',
      'x/\u202ey',
      'a\\b',
      '%2e%2e',
      "o'brien",
      'x\ny',
      'a@b',
      `${'n'.repeat(200)}/${'m'.repeat(60)}`,
    ];
    for (const name of [...refused, ...more]) await mkdir(bench.at(name, '.hg'), { recursive: true });
    await makeHgOnDisk(bench.at('fine'));
    expect(await bench.rescan()).toEqual({ added: ['fine'], removed: [] });
    // A rescan does not search below a directory that is a repository itself.
    for (const name of [...refused, ...more].filter((name) => name !== 'taken/below')) {
      expect(await bench.reasonFor(name), name).toBeTruthy();
    }
  });

  it('a name only once when two directories would have the same name', async () => {
    await makeGitOnDisk(bench.at('twin'));
    await makeBareGitOnDisk(bench.at('twin.git'));
    expect(await bench.rescan()).toEqual({ added: ['twin'], removed: [] });
    expect(await bench.rescan()).toEqual(nothing);
  });

  it('the other repositories when one is broken', async () => {
    await makeHgOnDisk(bench.at('new/broken'));
    await writeFile(bench.at('new/broken/.hg/store/00changelog.i'), 'no revlog');
    const rawId = await makeHgOnDisk(bench.at('other/whole'));
    expect(await bench.rescan()).toEqual({ added: ['other/whole'], removed: [] });
    expect(await bench.admin.result('get_repo', { repoid: 'other/whole' })).toMatchObject({
      last_changeset: { raw_id: rawId },
    });
    // The rows of the broken repository and its group are removed; its bytes are kept.
    expect(await bench.sql`select name from repo_groups`).toMatchObject([{ name: 'other' }]);
    expect(existsSync(bench.at('new/broken/.hg/store/00changelog.i'))).toBe(true);
  });

  it('each repository once in concurrent calls', async () => {
    const made = ['a/one', 'a/two', 'b/three', 'four', 'five', 'six'];
    for (const [index, name] of made.entries()) await (index % 2 ? makeHgOnDisk : makeGitOnDisk)(bench.at(name));
    const outcomes = await Promise.all([bench.rescan(), bench.rescan(), bench.rescan()]);
    expect(outcomes.flatMap(({ added }) => added).toSorted()).toEqual(made.toSorted());
    expect((await bench.names()).toSorted()).toEqual(made.toSorted());
    expect(await bench.sql`select state, count(*)::int as n from operations group by state`).toMatchObject([
      { state: 'done', n: 6 },
    ]);
  });

  it('C9 a repository with old locks, which its next write breaks', async () => {
    const remote = await makeHgRemote();
    try {
      await remote.commit({ [someFile]: '1' });
      await hg(bench.cluster.storageRoot, 'clone', '-q', remote.url, 'locked');
      for (const lock of ['.hg/store/lock', '.hg/wlock']) await symlink('elsewhere:4711', bench.at('locked', lock));
      expect(await bench.rescan()).toEqual({ added: ['locked'], removed: [] });
      const rawId = await remote.commit({ [someFile]: '2' });
      await bench.admin.result('update_repo', { repoid: 'locked', clone_uri: remote.url });
      await bench.admin.result('pull', { repoid: 'locked' });
      expect(await bench.admin.result('get_repo', { repoid: 'locked' })).toMatchObject({
        last_changeset: { raw_id: rawId },
      });
    } finally {
      await remote.close();
    }
  });
});

describe('an adopted repository', () => {
  it.each(['hg', 'git', 'bare git'] as const)(
    '%s: is in the trash when deleted, and not adopted again',
    async (kind) => {
      await makeOnDisk[kind](bench.at('team/tool'));
      await bench.rescan();
      await bench.admin.result('delete_repo', { repoid: 'team/tool' });
      expect(await readdir(bench.at('@trash'))).toHaveLength(1);
      expect(existsSync(bench.at('team/tool'))).toBe(kind === 'git');
      expect(await bench.rescan()).toEqual(nothing);
      // A repository that is put at the same path again is another one.
      await rm(bench.at('team/tool'), { recursive: true, force: true });
      const rawId = await makeOnDisk[kind](bench.at('team/tool'));
      expect(await bench.rescan()).toEqual({ added: ['team/tool'], removed: [] });
      expect(await bench.admin.result('get_repo', { repoid: 'team/tool' })).toMatchObject({
        last_changeset: { raw_id: rawId },
      });
    },
  );

  it.each(['hg', 'git'] as const)(
    '%s: deleted and taken out of the trash by hand, it comes back as a new one',
    async (kind) => {
      const rawId = await makeOnDisk[kind](bench.at('source'));
      await bench.rescan();
      // The fork lies below `@repos`, where the service creates repositories.
      await bench.admin.result('fork_repo', { repoid: 'source', fork_name: 'team/tool', private: true });
      const before = await bench.admin.result<{ repo_id: number }>('get_repo', { repoid: 'team/tool' });
      await bench.admin.result('delete_repo', { repoid: 'team/tool' });
      const operations = await bench.admin.result<Operation[]>('list_operations');
      const deletion = operations.find(({ kind, repo_name }) => kind === 'delete' && repo_name === 'team/tool');
      const entry = (await readdir(bench.at('@trash'))).find((name) => name.endsWith(`.${deletion?.operation_id}`));
      await mkdir(bench.at('team'));
      await bench.admin.result('update_default_permissions', { repository: 'repository.none' });
      try {
        await rename(bench.at('@trash', String(entry)), bench.at('team/tool'));
        await bench.sql`delete from deleted_repositories`;
        expect(await bench.rescan()).toEqual({ added: ['team/tool'], removed: [] });
      } finally {
        await bench.admin.result('update_default_permissions', { repository: 'repository.read' });
      }
      const after = await bench.admin.result<{ repo_id: number }>('get_repo', { repoid: 'team/tool' });
      expect(after).toMatchObject({
        last_changeset: { raw_id: rawId },
        fork_of: null,
        private: false,
        members: [{ username: 'default', permission: 'repository.none' }],
      });
      expect(after.repo_id).not.toBe(before.repo_id);
      expect(await bench.nodesOf('team/tool')).toEqual([{ name: someFile, type: 'file' }]);
      await bench.admin.result('fork_repo', { repoid: 'team/tool', fork_name: 'copy' });
    },
  );

  it('keeps its path when it is renamed', async () => {
    await makeHgOnDisk(bench.at('before'));
    await bench.rescan();
    await bench.admin.result('update_repo', { repoid: 'before', name: 'after' });
    expect(await bench.nodesOf('after')).toEqual([{ name: someFile, type: 'file' }]);
    expect(await bench.rescan({ remove_obsolete: true })).toEqual(nothing);
  });
});
