import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fastImport } from '../../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { byForm } from '../../harness/long-form.ts';
import { mainBranch, mainReference, someFile } from '../../harness/unique-name.ts';
import { runClient, runToEnd } from '../run-client.ts';
import { commitFile, makeWorkTree, objectsOf, ownGit, refsAt } from './git-source.ts';
import type { MatrixCluster } from './matrix-cluster.ts';
import type { Program } from './programs.ts';

/** Makes a repository with five commits, which the git of this machine has pushed. */
async function makeFilled({ makeRepository, freshPath, url }: MatrixCluster) {
  const [name, source] = [await makeRepository('git', 'program'), freshPath()];
  await makeWorkTree(source, 5);
  await ownGit(source, 'push', '-q', url(name), mainBranch);
  return { name, source, url: url(name) };
}

/** The ways in which git itself gets a login. */
export function testGitLogins({ words }: Program, matrix: () => MatrixCluster): void {
  it('takes the login from the URL, a netrc and a helper, and asks no more with a wrong one', async () => {
    const { admin, url, freshPath } = matrix();
    const name = await matrix().makeRepository('git', 'login');
    const home = freshPath();
    await mkdir(home);
    const { host, hostname } = new URL(url(name));
    const list = (login: string, env: NodeJS.ProcessEnv = {}, ...options: string[]) =>
      runClient([...words, ...options, 'ls-remote', '-q', url(name, login)], '/', env);
    expect(await list(`admin:${admin.apiKey}`)).toMatchObject({ exitCode: 0 });
    await writeFile(join(home, '.netrc'), `machine ${hostname} login admin password ${admin.apiKey}\n`, {
      mode: 0o600,
    });
    expect(await list('', { HOME: home })).toMatchObject({ exitCode: 0 });
    const helper = `!echo "username=admin"; echo "password=${admin.apiKey}"; echo host=${host}; :`;
    expect(await list('', {}, '-c', `credential.helper=${helper}`)).toMatchObject({ exitCode: 0 });
    const wrong = await list('admin:wrong');
    expect(wrong.stderr).toContain('Authentication failed');
    expect(wrong.exitCode).not.toBe(0);
  });
}

/** What git itself can do beside what all clients of git can. */
export function testGitProgram({ words }: Program, matrix: () => MatrixCluster): void {
  const run = (cwd: string, ...args: string[]) => runToEnd([...words, ...args], cwd);

  it('clones with each version of the protocol, in parts, and completes the parts', async () => {
    const { source, url } = await makeFilled(matrix());
    const all = await objectsOf(source, 'HEAD');
    for (const version of ['0', '1', '2']) {
      const path = matrix().freshPath();
      await run('/', '-c', `protocol.version=${version}`, 'clone', '-q', '--depth=2', url, path);
      expect(await ownGit(path, 'rev-list', '--count', 'HEAD')).toBe('2\n');
      await run(path, '-c', `protocol.version=${version}`, 'fetch', '-q', '--unshallow');
      expect(await objectsOf(path, 'HEAD')).toEqual(all);
    }
    const partial = matrix().freshPath();
    await run('/', 'clone', '-q', '--filter=blob:none', '--no-checkout', url, partial);
    expect(await run(partial, 'rev-list', '--objects', '--missing=print', 'HEAD')).toContain('?');
    const wanted = await ownGit(source, 'show', `HEAD~2:${someFile}`);
    expect(await run(partial, 'show', `HEAD~2:${someFile}`)).toBe(wanted);
  });

  it('fetches with thousands of commits of its own, in requests that it compresses', async () => {
    const { source, url } = await makeFilled(matrix());
    const path = matrix().freshPath();
    await ownGit('/', 'init', '-q', '--bare', path);
    const committer = (at: number) => `committer Ann <ann@example.com> ${1_700_000_000 + at} +0000\n`;
    const haves = Array.from({ length: 3_000 }, (_, at) => `commit refs/heads/own\n${committer(at)}data 1\nx`);
    await fastImport(path, haves.join('\n'));
    const trace = { GIT_CURL_VERBOSE: '1', GIT_TRACE_CURL_NO_DATA: '1' };
    const fetched = await runClient([...words, 'fetch', url, `${mainBranch}:fetched`], path, trace);
    expect(fetched).toMatchObject({ exitCode: 0 });
    expect(/content-encoding: gzip/i.test(fetched.stderr)).toBe(true);
    expect(await objectsOf(path, 'fetched')).toEqual(await objectsOf(source, 'HEAD'));
  });

  it('pushes in chunks', async () => {
    const { makeRepository, freshPath, url: urlOf } = matrix();
    const [name, path] = [await makeRepository('git', 'chunked'), freshPath()];
    await makeWorkTree(path, 1);
    await writeFile(join(path, 'random'), randomBytes(byForm(500_000, 5_000_000)));
    const id = await commitFile(path, 'with much');
    const trace = { GIT_CURL_VERBOSE: '1', GIT_TRACE_CURL_NO_DATA: '1' };
    const push = [...words, '-c', 'http.postBuffer=65536', 'push', urlOf(name), mainBranch];
    const pushed = await runClient(push, path, trace);
    expect(pushed).toMatchObject({ exitCode: 0 });
    expect(/transfer-encoding: chunked/i.test(pushed.stderr)).toBe(true);
    expect(await refsAt(urlOf(name))).toMatchObject({ [mainReference]: id });
  });
}
