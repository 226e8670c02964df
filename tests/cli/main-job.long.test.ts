import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterAll, describe, expect, it } from 'vitest';
import { byForm } from '../harness/long-form.ts';
import { git, hg, makeGitRemote, makeHgRemote, type Remote } from '../harness/remotes.ts';
import { serviceApi } from '../harness/service-api.ts';
import { cluster, uniqueName } from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const Nodes = v.array(v.object({ name: v.string(), type: v.string() }));
const Repo = v.object({ last_changeset: v.object({ raw_id: v.string(), revision: v.number() }) });

async function call(method: string, ...items: string[]): Promise<unknown> {
  const connection = [`--apihost=${cluster.baseUrl}`, `--apikey=${cluster.adminKey}`, '--format=json'];
  const { exitCode, stdout, stderr } = await serviceApi([...connection, method, ...items]);
  expect({ exitCode, stderr, ...(exitCode === 0 ? {} : { stdout }) }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function filesAt(repoid: string, revision: string): Promise<string[]> {
  const items = [`repoid:${repoid}`, `revision:${revision}`, 'root_path:/', 'ret_type:files'];
  return v.parse(Nodes, await call('get_repo_nodes', ...items)).map(({ name }) => name);
}

const lastChangeset = async (repoid: string) =>
  v.parse(Repo, await call('get_repo', `repoid:${repoid}`)).last_changeset;
const lines = (text: string) => text.split('\0').filter(Boolean).toSorted();

/** Number of the project’s commits that are converted: the conversion of all takes most of a minute. */
const convertedMax = byForm(60, Infinity);

const remotes: Remote[] = [];
afterAll(() => Promise.all(remotes.map((remote) => remote.close())));

/** Creates a remote with this project's own history, served over HTTP by git. */
async function ownHistory(): Promise<Remote> {
  const remote = await makeGitRemote();
  remotes.push(remote);
  await git(remote.directory, 'fetch', '-q', projectRoot, 'HEAD');
  await git(remote.directory, 'reset', '-q', '--hard', 'FETCH_HEAD');
  return remote;
}

describe('the main job on this project’s own history, through service-api', () => {
  it('git: import, list at tip and at an old revision, commit, pull, delete', async () => {
    const remote = await ownHistory();
    const listed = async (revision: string) =>
      lines(await git(remote.directory, 'ls-tree', '-r', '-z', '--name-only', revision));
    const repoid = uniqueName('own-git');
    await call('create_repo', `repo_name:${repoid}`, 'repo_type:git', `clone_uri:${remote.url}`);
    expect((await filesAt(repoid, 'tip')).toSorted()).toEqual(await listed('HEAD'));
    const oldest = (await git(remote.directory, 'rev-list', '--max-parents=0', 'HEAD')).trim().split('\n')[0] ?? '';
    expect((await filesAt(repoid, oldest)).toSorted()).toEqual(await listed(oldest));

    const before = await lastChangeset(repoid);
    const rawId = await remote.commit({ [someFile]: 'x' }, 'one more');
    expect(await call('pull', `repoid:${repoid}`)).toBe(`Pulled from \`${repoid}\``);
    expect(await lastChangeset(repoid)).toEqual({ raw_id: rawId, revision: before.revision + 1 });
    await call('delete_repo', `repoid:${repoid}`);
    expect(await call('get_repo', `repoid:${repoid}`)).toBeNull();
  });

  it('git: push, look, clone, change, push, look', async () => {
    const { directory } = await ownHistory();
    const repoid = uniqueName('pushed-git');
    const url = cluster.baseUrl.replace('//', `//admin:${cluster.adminKey}@`) + `/${repoid}`;
    await call('create_repo', `repo_name:${repoid}`, 'repo_type:git');
    await git(directory, 'push', '-q', url, 'HEAD:refs/heads/main');
    const head = async (clone: string) => (await git(clone, 'rev-parse', 'HEAD')).trim();
    expect((await lastChangeset(repoid)).raw_id).toBe(await head(directory));

    const clone = join(directory, 'clone');
    await git(directory, 'clone', '-q', url, clone);
    await git(clone, 'commit', '-q', '--allow-empty', '-m', 'one more');
    await git(clone, 'push', '-q');
    expect((await lastChangeset(repoid)).raw_id).toBe(await head(clone));
    await call('delete_repo', `repoid:${repoid}`);
  });

  it('hg: import, list, commit, pull and delete a Mercurial conversion', async () => {
    const source = await ownHistory();
    const remote = await makeHgRemote();
    remotes.push(remote);
    const history = (await git(source.directory, 'rev-list', '--reverse', 'HEAD')).trim().split('\n');
    const upTo = history[Math.min(history.length, convertedMax) - 1] ?? '';
    const conversion = ['convert', '-q', '--rev', upTo, source.directory, '.'];
    await hg(remote.directory, '--config', 'extensions.convert=', ...conversion);
    const listed = async (revision: string) => lines(await hg(remote.directory, 'files', '-r', revision, '-0'));
    const repoid = uniqueName('own-hg');
    await call('create_repo', `repo_name:${repoid}`, `clone_uri:${remote.url}`);
    for (const revision of ['tip', '0']) {
      expect((await filesAt(repoid, revision)).toSorted()).toEqual(await listed(revision));
    }

    const before = await lastChangeset(repoid);
    await hg(remote.directory, 'update', '-q', 'tip');
    const rawId = await remote.commit({ [someFile]: 'x' }, 'one more');
    expect(await call('pull', `repoid:${repoid}`)).toBe(`Pulled from \`${repoid}\``);
    expect(await lastChangeset(repoid)).toEqual({ raw_id: rawId, revision: before.revision + 1 });
    await call('delete_repo', `repoid:${repoid}`);
    expect(await call('get_repo', `repoid:${repoid}`)).toBeNull();
  });
});
