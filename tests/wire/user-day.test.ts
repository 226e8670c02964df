import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fastImport } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { byForm } from '../harness/long-form.ts';
import { git as ownGit } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName, type RepositoryType } from '../harness/shared-cluster.ts';
import { mainBranch, mainReference, someFile } from '../harness/unique-name.ts';
import { makeVisitor, password } from '../harness/web-visitor.ts';
import { feed } from './pushed.ts';
import { git, hg } from './vcs-cluster.ts';

vi.setConfig({ testTimeout: byForm(180_000, 900_000) });

const commits = byForm(100, 5_000);
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-day-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function makeGitHistory(path: string): Promise<void> {
  await ownGit(directory, 'init', '-q', '-b', mainBranch, path);
  const stream = Array.from({ length: commits }, (_, at) => {
    const file = `M 100644 inline dir-${at % 20}/file-${at % 400}\ndata <<END\n${'line\n'.repeat(at % 50)}${at}\nEND\n`;
    const committer = `committer Ann <ann@example.com> ${1_700_000_000 + at} +0000\n`;
    return `commit ${mainReference}\n${committer}data <<END\nchange ${at}\nEND\n${file}`;
  });
  await fastImport(join(path, '.git'), stream.join('\n'));
}

/** What a user does with each system: bring a history, clone it, commit and push. */
const works: Readonly<Record<RepositoryType, (url: string) => Promise<{ id: string; cloned: number }>>> = {
  async git(url) {
    const [origin, path] = [join(directory, 'git-origin'), join(directory, 'git')];
    await makeGitHistory(origin);
    await git(origin, 'push', '-q', url, mainBranch);
    await git(directory, 'clone', '-q', url, path);
    const cloned = Number(await git(path, 'rev-list', '--count', 'HEAD'));
    await writeFile(join(path, someFile), 'mine');
    await ownGit(path, 'add', someFile);
    await ownGit(path, 'commit', '-q', '-m', 'the change of today');
    await git(path, 'push', '-q');
    return { id: (await git(path, 'rev-parse', 'HEAD')).trim(), cloned };
  },
  async hg(url) {
    const [origin, path] = [join(directory, 'hg-origin'), join(directory, 'hg')];
    await hg(directory, 'init', origin);
    await hg(origin, 'debugbuilddag', '--overwritten-file', `+${commits}`);
    await hg(origin, 'push', '-q', url);
    await hg(directory, 'clone', '-q', url, path);
    const cloned = (await hg(path, 'log', '-T', 'x')).length;
    await writeFile(join(path, someFile), 'mine');
    await hg(path, 'commit', '-q', '-A', '-m', 'the change of today');
    await hg(path, 'push', '-q', url);
    return { id: await hg(path, 'log', '-r', '.', '-T', '{node}'), cloned };
  },
};

it.each(repositoryTypes)(
  'a user clones a long history with %s, commits, pushes, and sees it everywhere',
  async (type) => {
    const { web, username, client } = await makeVisitor();
    const name = uniqueName(`day-${type}`);
    await admin.result('create_repo', { repo_name: name, repo_type: type, owner: username });
    const { clone_url: address } = await client.result<{ clone_url: string }>('get_repo', { repoid: name });
    // Mercurial crashes when the name in a login is not ASCII, before it sends anything.
    const login = type === 'git' ? { username, password } : { username: 'api-key', password: client.apiKey };
    const url = Object.assign(new URL(address), login).href;
    const { id, cloned } = await works[type](url);
    expect(cloned).toBe(commits);
    expect(await client.result('get_repo', { repoid: name })).toMatchObject({
      last_changeset: { raw_id: id, revision: commits, message: expect.stringContaining('the change of today') },
    });
    for (const page of ['', '/changelog', `/changeset/${id}`, '/files/tip/']) {
      const { status, text } = await web.get(`/${name}${page}`);
      expect([page, status]).toEqual([page, 200]);
      expect(text).toContain(page.startsWith('/files') ? someFile : 'the change of today');
    }
    expect(await feed(`${name}/feed`)).toContain('the change of today');
    const { text: journal } = await web.get('/_admin/journal');
    expect(journal.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).toContain(`pushed into ${name}`);
  },
);
