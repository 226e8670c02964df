import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitHttpBackend, requireLogin, serve, startHg } from './testing/serve.ts';
import { commitGit, commitHg, git, plainEnvironment } from './testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from './testing/workbench.ts';

const commit = { git: commitGit, hg: commitHg };

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

describe.each(['git', 'hg'] as const)('a remote of %s', (type) => {
  let answer: RequestListener;
  let directory = '';
  beforeAll(async () => {
    directory = (await makeSource(bench, type)).directory;
    await commit[type](directory, { a: '1' });
    answer = type === 'git' ? gitHttpBackend(directory) : bench.closeLater(await startHg(directory)).forwardToHg;
  });

  async function served(listener: RequestListener): Promise<string> {
    return `${bench.closeLater(await serve(listener)).url}/${type === 'git' ? '.git' : ''}`;
  }
  const check = (url: string, { backends } = bench, signal = neverAborted) =>
    backends[type].checkRemote(remoteOf(type, url), signal);
  const failed = { kind: 'remote-failed' };

  it('passes the check, also when it is empty or needs a login', async () => {
    const closed = await served(requireLogin('ann:pw', answer));
    const urls = [await served(answer), (await makeSource(bench, type)).url, closed.replace('://', '://ann:pw@')];
    for (const url of urls) await expect(check(url)).resolves.toBeUndefined();
  });

  it('D6 does not pass when it is down, is no repository or refuses the login', async () => {
    const away = bench.closeLater(await serve(answer));
    await away.close();
    await expect(check(`${away.url}/x`)).rejects.toMatchObject(failed);
    const page = await served((_request, response) => response.end('<!doctype html><title>hello</title>'));
    await expect(check(page)).rejects.toMatchObject(failed);
    const missing = await served((_request, response) => response.writeHead(404).end());
    await expect(check(missing)).rejects.toMatchObject(failed);
    const closed = await served(requireLogin('ann:pw', answer));
    await expect(check(closed)).rejects.toMatchObject(failed);
    const wrong = await check(closed.replace('://', '://ann:wr0ng@')).catch(String);
    expect(wrong).not.toContain('wr0ng');
  });

  it('D7 does not pass at an address that is not allowed, and gets no request', async () => {
    const asked: string[] = [];
    const url = await served((request, response) => {
      asked.push(request.url ?? '');
      answer(request, response);
    });
    const backends = await bench.open({ allowedRemotes: [] });
    await expect(check(url, { ...bench, backends })).rejects.toMatchObject({ kind: 'remote-refused' });
    expect(asked).toEqual([]);
  });

  it('does not pass when it sends no answer before the timeout', async () => {
    const backends = await bench.open({ checkTimeoutMs: 700 });
    await expect(check(await served(() => {}), { ...bench, backends })).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('is asked no more when the check is cancelled', async () => {
    const controller = new AbortController();
    const url = await served(() => controller.abort());
    await expect(check(url, bench, controller.signal)).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

describe('a git remote that only native git can ask', () => {
  const check = (url: string) => bench.backends.git.checkRemote(remoteOf('git', url), neverAborted);

  it('passes when it serves the plain files of a repository', async () => {
    const { directory } = await makeSource(bench, 'git');
    await commitGit(directory, { a: '1' });
    await git(directory, 'update-server-info');
    const files = bench.closeLater(
      await serve((request, response) => {
        const { pathname } = new URL(request.url ?? '', 'http://host.example');
        readFile(join(directory, pathname)).then(
          (content) => response.end(content),
          () => response.writeHead(404).end(),
        );
      }),
    );
    await check(`${files.url}/.git`);
    const path = bench.freshPath();
    await bench.backends.git.importFrom(path, 'uuid', remoteOf('git', `${files.url}/.git`), neverAborted);
    expect(await bench.backends.git.tip(path)).toMatchObject({ revision: 0 });
    await expect(check(`${files.url}/x`)).rejects.toMatchObject({ kind: 'remote-failed' });
  });

  it('passes over git://', async () => {
    const { directory } = await makeSource(bench, 'git');
    const base = bench.freshPath();
    await mkdir(base);
    await cp(join(directory, '.git'), join(base, 'repo.git'), { recursive: true });
    const daemon = createTcpServer({ allowHalfOpen: true }, (socket) => {
      const args = ['daemon', '--inetd', '--export-all', `--base-path=${base}`];
      const child = spawn('git', args, { env: plainEnvironment, stdio: ['pipe', 'pipe', 'ignore'] });
      socket.pipe(child.stdin).on('error', () => socket.destroy());
      child.stdout.pipe(socket).on('error', () => child.kill());
    });
    daemon.listen(0, '127.0.0.1');
    await once(daemon, 'listening');
    bench.closeLater({ close: () => void daemon.close() });
    const address = daemon.address();
    const origin = `git://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    await check(`${origin}/repo.git`);
    await expect(check(`${origin}/gone.git`)).rejects.toMatchObject({ failure: 'not found' });
  });
});
