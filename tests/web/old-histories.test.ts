import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feedGit } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { git, makeGitRemote, type Remote } from '../harness/remotes.ts';
import { admin, cluster, storagePathOf, uniqueName } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';

const date = '1300000000 +0000';
/** What tools of old have written of an author and committer, and what is shown of it. */
const accepted = [
  [`<a@example.org> ${date}`, '<a@example.org>'],
  [`A<a@example.org> ${date}`, 'A<a@example.org>'],
  [`A ${date}`, 'A'],
  ['A', 'A', '1970-01-01T00:00:00'],
  [`A <<a@example.org>> ${date}`, 'A <<a@example.org>>'],
  [`A <a@example.org>${date}`, 'A <a@example.org>'],
  ['A <a@example.org> 1300000000 +051800', 'A <a@example.org>'],
  ['A <a@example.org> 1300000000 PST', 'A <a@example.org>'],
  ['A <a@example.org> 99999999999999 +0000', 'A <a@example.org>', '9999-12-31T23:59:59'],
] as const;
/** What pushes and copies refuse, and repositories of other servers may have. */
const adopted = [
  ['A <a@example.org> -86400 +0000', 'A <a@example.org>', '1969-12-31T00:00:00'],
  [`A <a@example.org> ${'9'.repeat(30)} +0000`, 'A <a@example.org>', '9999-12-31T23:59:59'],
] as const;

let remote: Remote;
let web: WebClient;
const ids: string[] = [];

/** Adds commits that git does not make to a branch; returns the ids. */
async function plant(path: string, lines: readonly (readonly [line: string, ...shown: string[]])[]): Promise<string[]> {
  const blob = await feedGit(path, ['hash-object', '-w', '--stdin'], 'x\n');
  const entry = Buffer.concat([Buffer.from(`0100644 ${someFile}\0`), Buffer.from(blob, 'hex')]);
  const tree = await feedGit(path, ['hash-object', '-w', '--literally', '--stdin', '-t', 'tree'], entry);
  const planted: string[] = [];
  for (const [line] of lines) {
    const parent = planted.length === 0 ? '' : `parent ${planted.at(-1)}\n`;
    const text = `tree ${tree}\n${parent}author ${line}\ncommitter ${line}\n\nby ${line}\n`;
    planted.push(await feedGit(path, ['hash-object', '-w', '--literally', '--stdin', '-t', 'commit'], text));
  }
  await git(path, 'update-ref', mainReference, planted.at(-1) ?? '');
  return planted;
}

beforeAll(async () => {
  remote = await makeGitRemote();
  ids.push(...(await plant(join(remote.directory, '.git'), accepted)));
  ({ web } = await makeVisitor({ admin: true }));
});
afterAll(() => remote.close());

interface Changeset {
  readonly author: string;
  readonly date: string;
  readonly message: string;
}

async function expectShown(name: string, rawIds: readonly string[], lines: typeof accepted | typeof adopted) {
  const expected = lines.map(([line, author, at = '2011-03-13T07:06:40']) => ({
    author,
    date: at,
    message: `by ${line}`,
  }));
  const shown = ({ author, date: at, message }: Changeset) => ({
    author,
    date: at.slice(0, 19),
    message: message.trim(),
  });
  const one = (revision: string) => admin.result<Changeset>('get_changeset', { repoid: name, revision });
  expect(await Promise.all(rawIds.map(async (id) => shown(await one(id))))).toEqual(expected);
  const listed = await admin.result<Changeset[]>('get_changesets', { repoid: name });
  expect(listed.map(shown)).toEqual(expect.arrayContaining(expected));
  const ofEach = rawIds.flatMap((id) => [
    ...[`/changeset/${id}`, `/files/${id}`, `/changeset-patch/${id}`, `/changeset-diff/${id}`],
    ...['zip', 'tar.gz'].map((kind) => `/archive/${id}.${kind}`),
  ]);
  for (const path of ['', '/changelog', '/files/tip', '/feed/rss', '/feed/atom', ...ofEach]) {
    const { status, text } = await web.get(`/${name}${path}`);
    expect([path, status]).toEqual([path, 200]);
    expect(path.includes('/archive/') ? '' : text).not.toMatch(/NaN|Invalid Date/);
  }
}

describe('histories that old tools have made', () => {
  it('are copied from a remote and pulled, and shown', async () => {
    const name = uniqueName('old');
    await admin.result('create_repo', {
      repo_name: name,
      repo_type: 'git',
      clone_uri: remote.url,
      enable_downloads: true,
    });
    await expectShown(name, ids, accepted);
    await git(remote.directory, 'update-ref', 'refs/heads/again', ids[2] ?? '');
    await admin.result('pull', { repoid: name });
    await admin.result('maintain_repo', { repoid: name });
    const fork = uniqueName('fork');
    await admin.result('fork_repo', { repoid: name, fork_name: fork });
    const [there, here] = await Promise.all([name, fork].map((repoid) => admin.result('get_changesets', { repoid })));
    expect(here).toEqual(there);
  });

  it('are moved to another storage, and restored after their deletion', async () => {
    const name = uniqueName('old');
    const create = { repo_name: name, repo_type: 'git', clone_uri: remote.url };
    const { repo } = await admin.result<{ repo: { storage: string; repo_id: number } }>('create_repo', create);
    const before = await admin.result('get_changesets', { repoid: name });
    const storage = Object.keys(cluster.storageRoots).find((other) => other !== repo.storage);
    const { task } = await admin.result<{ task: string | null }>('move_repo', { repoid: name, storage });
    if (task !== null) await admin.result('wait_operation', { operation_id: task });
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ storage });
    await admin.result('delete_repo', { repoid: name });
    await admin.result('restore_repo', { id: repo.repo_id });
    expect(await admin.result('get_changesets', { repoid: name })).toEqual(before);
  });

  it('are pushed, and shown', async () => {
    const name = uniqueName('old');
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', enable_downloads: true });
    const { host } = new URL(cluster.baseUrl);
    await git(
      remote.directory,
      'push',
      '-q',
      `http://api-key:${admin.apiKey}@${host}/${name}`,
      `${ids.at(-1)}:${mainReference}`,
    );
    await expectShown(name, ids, accepted);
  });

  it('are shown as they lie in an adopted repository', async () => {
    const name = uniqueName('old');
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', enable_downloads: true });
    const planted = await plant(await storagePathOf(name), adopted);
    await admin.result('invalidate_cache', { repoid: name });
    await expectShown(name, planted, adopted);
  });

  it('C4 that would harm who clones them are refused, with the object and a way out', async () => {
    const name = uniqueName('old');
    await admin.result('create_repo', { repo_name: name, repo_type: 'git' });
    const path = join(remote.directory, '.git');
    const empty = await feedGit(path, ['mktree'], '');
    const entry = Buffer.concat([Buffer.from('40000 .git\0'), Buffer.from(empty, 'hex')]);
    const tree = await feedGit(path, ['hash-object', '-w', '--literally', '--stdin', '-t', 'tree'], entry);
    const commit = await feedGit(path, ['commit-tree', tree], 'x');
    const { host } = new URL(cluster.baseUrl);
    const url = `http://api-key:${admin.apiKey}@${host}/${name}`;
    const refused = await git(remote.directory, 'push', url, `${commit}:refs/heads/evil`).catch(String);
    expect(refused.replaceAll(/\s+/g, ' ')).toContain(`-> evil (the object ${tree} is not accepted (hasDotgit): `);
    expect(refused).toContain(`git log --all --find-object=${tree}`);
  });
});
