import { randomUUID } from 'node:crypto';
import {
  appendFile,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { forgeCommitGraph } from '../../apps/vcs-worker/src/vcs/testing/graph-files.ts';
import { makeBareGitOnDisk, makeGitOnDisk, makeHgOnDisk, makeOnDisk } from '../harness/repositories-on-disk.ts';
import { git, hg, makeGitRemote, makeHgRemote, type Remote } from '../harness/remotes.ts';
import { nothing, openRescanBench, type RescanBench } from '../harness/rescan-bench.ts';
import { mainBranch, mainReference, someFile, uniqueName } from '../harness/unique-name.ts';
import { gitPayload, gitPlants, gitPushPayload, hgPayload, hgPlants, plantHooks } from './adoption-plants.ts';

let bench: RescanBench;
/** Directory beside the storage, with repositories that are not Trunkline's, and the canaries. */
let outside: string;
let before: string[];

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const copying = { recursive: true, verbatimSymlinks: true };

/** Returns every entry of a directory with metadata that changes whenever the entry changes. */
async function snapshot(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  const lines = names.toSorted().map(async (name) => {
    const { ino, mode, size, mtimeMs, ctimeMs, nlink } = await lstat(join(directory, name));
    return [name, ino, mode, size, mtimeMs, ctimeMs, nlink].join(' ');
  });
  return Promise.all(lines);
}

beforeAll(async () => {
  bench = await openRescanBench(inject('postgresUrl'));
  outside = await realpath(await mkdtemp(join(tmpdir(), 'trunkline-outside-')));
  await makeHgOnDisk(join(outside, 'hg'));
  await makeGitOnDisk(join(outside, 'git'));
  await makeBareGitOnDisk(join(outside, 'bare'));
  await mkdir(join(outside, 'group'));
  await makeHgOnDisk(join(outside, 'group/below'));
  await writeFile(join(outside, 'evil.sh'), `#!/bin/sh\ntouch ${join(outside, 'canary')}\n`, { mode: 0o755 });
  await writeFile(join(outside, 'evil.py'), `open(${JSON.stringify(join(outside, 'canary'))}, 'w').close()\n`);
  await writeFile(join(outside, 'evil.config'), gitPayload(outside));
  await plantHooks(join(outside, 'hooks'), outside);
  before = await snapshot(outside);
});
afterEach(() => bench.empty());
afterAll(async () => {
  await bench.close();
  await rm(outside, { recursive: true, force: true });
});

/** Calls everything that the service does with a repository; its remote has the same changesets. */
async function useIt(type: 'hg' | 'git', remote: Remote, rawId: string): Promise<void> {
  const { admin } = bench;
  expect(await admin.result('get_repo', { repoid: 'repo' })).toMatchObject({ last_changeset: { raw_id: rawId } });
  expect(await bench.nodesOf('repo')).toEqual([{ name: someFile, type: 'file' }]);
  await admin.result('invalidate_cache', { repoid: 'repo' });
  const next = await remote.commit({ [someFile]: type });
  await admin.result('update_repo', { repoid: 'repo', clone_uri: remote.url });
  await admin.result('pull', { repoid: 'repo' });
  expect(await admin.result('get_repo', { repoid: 'repo' })).toMatchObject({ last_changeset: { raw_id: next } });
}

/** Pushes what the remote of a repository has, and changes of other kinds. */
async function pushInto(type: 'hg' | 'git', { directory, commit }: Remote): Promise<void> {
  const { admin, cluster } = bench;
  const url = `http://api-key:${admin.apiKey}@${new URL(cluster.baseUrl).host}/repo`;
  const next = await commit({ [someFile]: randomUUID() });
  if (type === 'hg') {
    const pushed = uniqueName('pushed');
    await hg(directory, 'bookmark', '-q', '-r', next, pushed);
    await hg(directory, 'push', '-q', '-B', pushed, url);
  } else {
    const other = `refs/heads/${uniqueName('other')}`;
    await git(directory, 'push', '-q', url, `HEAD:${mainReference}`, `HEAD:${other}`);
    await git(directory, 'push', '-q', url, `+HEAD~1:${mainReference}`);
    await git(directory, 'push', '-q', url, `HEAD:${mainReference}`, `:${other}`);
  }
  expect(await admin.result('get_repo', { repoid: 'repo' })).toMatchObject({ last_changeset: { raw_id: next } });
}

describe('C4 the configuration of an adopted repository', () => {
  it.each(['git', 'bare git'] as const)('%s: hooks, aliases, includes and filters have no effect', async (kind) => {
    const remote = await makeGitRemote();
    try {
      const rawId = await makeOnDisk[kind](bench.at('repo'));
      await git(remote.directory, 'pull', '-q', bench.at('repo'), mainBranch);
      const gitDir = kind === 'git' ? bench.at('repo/.git') : bench.at('repo');
      const payload = `[include]\n\tpath = ${outside}/evil.config\n${gitPayload(outside)}`;
      await writeFile(join(gitDir, 'config'), payload);
      await writeFile(join(gitDir, 'info/attributes'), '* filter=x diff=x\n');
      await plantHooks(join(gitDir, 'hooks'), outside);

      expect(await bench.rescan()).toEqual({ added: ['repo'], removed: [] });
      const [row] = await bench.sql`select uuid from repositories`;
      expect(await readFile(join(gitDir, 'config'), 'utf8')).toBe(
        `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[trunkline]\n\tuuid = ${row?.['uuid']}\n`,
      );
      expect(await readFile(join(gitDir, 'config.before-adoption'), 'utf8')).toBe(payload);
      await useIt('git', remote, rawId);
      await pushInto('git', remote);
      expect(await snapshot(outside)).toEqual(before);
    } finally {
      await remote.close();
    }
  });

  it('git: hooks and settings that are written after the adoption do not run at a push', async () => {
    const remote = await makeGitRemote();
    try {
      await makeBareGitOnDisk(bench.at('repo'));
      await git(remote.directory, 'pull', '-q', bench.at('repo'), mainBranch);
      expect(await bench.rescan()).toEqual({ added: ['repo'], removed: [] });
      await appendFile(bench.at('repo/config'), gitPushPayload(outside));
      await plantHooks(bench.at('repo/hooks'), outside);
      await writeFile(bench.at('repo/objects/info/alternates'), `${outside}/bare/objects\n`);
      await pushInto('git', remote);
      expect(await snapshot(outside)).toEqual(before);
    } finally {
      await remote.close();
    }
  });

  it('hg: hooks, extensions and aliases have no effect', async () => {
    const remote = await makeHgRemote();
    try {
      const rawId = await makeHgOnDisk(bench.at('repo'));
      await hg(remote.directory, 'pull', '-q', '-u', bench.at('repo'));
      for (const name of ['hgrc', 'hgrc-not-shared']) await writeFile(bench.at('repo/.hg', name), hgPayload(outside));

      expect(await bench.rescan()).toEqual({ added: ['repo'], removed: [] });
      const [row] = await bench.sql`select uuid from repositories`;
      expect(await readFile(bench.at('repo/.hg/hgrc'), 'utf8')).toBe(`[trunkline]\nuuid = ${row?.['uuid']}\n`);
      expect(await readFile(bench.at('repo/.hg/hgrc-not-shared'), 'utf8')).toBe('');
      expect(await readFile(bench.at('repo/.hg/hgrc.before-adoption'), 'utf8')).toBe(hgPayload(outside));
      // Configuration that is written after the adoption is not read, either.
      await writeFile(bench.at('repo/.hg/hgrc'), hgPayload(outside));
      await useIt('hg', remote, rawId);
      await pushInto('hg', remote);
      expect(await snapshot(outside)).toEqual(before);
    } finally {
      await remote.close();
    }
  });

  it('the configuration of before the first adoption is kept, also when the repository is adopted again', async () => {
    await makeHgOnDisk(bench.at('repo'));
    await writeFile(bench.at('repo/.hg/hgrc'), '[web]\ndescription = first\n');
    await bench.rescan();
    await rename(bench.at('repo'), bench.at('moved'));
    expect(await bench.rescan({ remove_obsolete: true })).toEqual({ added: ['moved'], removed: ['repo'] });
    expect(await readFile(bench.at('moved/.hg/hgrc.before-adoption'), 'utf8')).toBe('[web]\ndescription = first\n');
    expect(await bench.admin.result('get_repo', { repoid: 'moved' })).toMatchObject({ description: 'first' });
  });
});

describe('C4 data that git reads before the objects themselves', () => {
  it('a commit-graph with wrong parents is replaced by a correct one', async () => {
    await makeBareGitOnDisk(bench.at('repo'));
    const work = await mkdtemp(join(tmpdir(), 'trunkline-work-'));
    await git(work, 'clone', '-q', bench.at('repo'), '.');
    await git(work, 'commit', '-q', '--allow-empty', '-m', 'second');
    await git(work, 'push', '-q');
    await rm(work, { recursive: true });
    const tip = (await git(bench.at('repo'), 'rev-parse', 'HEAD')).trim();
    await forgeCommitGraph(bench.at('repo'), tip);
    expect((await git(bench.at('repo'), 'rev-list', '--count', 'HEAD')).trim()).toBe('1');

    expect(await bench.rescan()).toEqual({ added: ['repo'], removed: [] });
    expect((await git(bench.at('repo'), 'rev-list', '--count', 'HEAD')).trim()).toBe('2');
    expect(await readdir(bench.at('repo/objects/info'))).toContain('commit-graphs');
    expect(await bench.admin.result('get_changesets', { repoid: 'repo' })).toHaveLength(2);
  });

  it('replaced objects and grafted parents that are added later are not read', async () => {
    const rawId = await makeBareGitOnDisk(bench.at('repo'));
    await bench.rescan();
    const [first, nodes] = await Promise.all([
      bench.admin.result('get_changeset', { repoid: 'repo', revision: rawId }),
      bench.nodesOf('repo'),
    ]);
    const forged = (await git(bench.at('repo'), 'commit-tree', '-m', 'forged', emptyTree)).trim();
    await git(bench.at('repo'), 'replace', rawId, forged);
    await mkdir(bench.at('repo/info'), { recursive: true });
    await writeFile(bench.at('repo/info/grafts'), `${rawId} ${forged}\n`);
    expect(await git(bench.at('repo'), 'log', '--format=%s')).toContain('forged');

    await bench.admin.result('invalidate_cache', { repoid: 'repo' });
    await bench.admin.result('fork_repo', { repoid: 'repo', fork_name: 'fork' });
    for (const repoid of ['repo', 'fork']) {
      expect(await bench.admin.result('get_changeset', { repoid, revision: 'tip' })).toEqual(first);
      expect(await bench.nodesOf(repoid)).toEqual(nodes);
    }
  });
});

describe('C4 a repository is not adopted, and nothing of it changed, with', () => {
  // Each test has its own repository name, since all of them share one log.
  let name = '';
  beforeEach(() => (name = `repo-${randomUUID()}`));

  const expectRefused = async (reason: RegExp) => {
    const planted = await snapshot(bench.at(name));
    expect(await bench.rescan()).toEqual(nothing);
    expect(await bench.reasonFor(name)).toMatch(reason);
    expect(await snapshot(bench.at(name))).toEqual(planted);
    expect(await snapshot(outside)).toEqual(before);
    expect(await bench.sql`select 1 from operations`).toHaveLength(0);
  };

  it.each(Object.entries(hgPlants))('hg: %s', async (_, { reason, plant }) => {
    await cp(join(outside, 'hg'), bench.at(name), copying);
    await plant(bench.at(name), outside);
    await expectRefused(reason);
  });

  it.each(Object.entries(gitPlants))('git: %s', async (_, { reason, plant }) => {
    await cp(join(outside, 'bare'), bench.at(name), copying);
    await plant(bench.at(name), outside);
    await expectRefused(reason);
  });

  it('git: a `.git` that points elsewhere', async () => {
    await mkdir(bench.at(name));
    await writeFile(bench.at(name, '.git'), `gitdir: ${outside}/git/.git\n`);
    await expectRefused(/`.git` is no directory/);
  });

  it('git: a `.git` that is a link', async () => {
    await mkdir(bench.at(name));
    await symlink(join(outside, 'git/.git'), bench.at(name, '.git'));
    await expectRefused(/`.git` is no directory/);
  });

  it('both a Mercurial and a git repository in one directory', async () => {
    await cp(join(outside, 'hg'), bench.at(name), copying);
    await cp(join(outside, 'git'), bench.at(name), copying);
    await expectRefused(/more than one/);
  });
});

describe('C3 a symbolic link below the storage’s root is not followed', () => {
  it.each(['hg', 'git', 'group', 'group/below', '.', '/etc'])('to %s', async (target) => {
    await mkdir(bench.at('inner'));
    await symlink(join(outside, target), bench.at('link'));
    await symlink(join(outside, target), bench.at('inner/link'));
    expect(await bench.rescan()).toEqual(nothing);
    expect(await snapshot(outside)).toEqual(before);
  });

  it('to a directory that contains it', async () => {
    await mkdir(bench.at('inner/deep'), { recursive: true });
    await symlink('.', bench.at('self'));
    await symlink('../..', bench.at('inner/deep/up'));
    await symlink(bench.at(), bench.at('inner/root'));
    await makeHgOnDisk(bench.at('inner/found'));
    expect(await bench.rescan()).toEqual({ added: ['inner/found'], removed: [] });
  });
});
