import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from './backend.ts';
import type { RemoteFailure } from './remote/remote-failure.ts';
import { certificate, certificateKey } from './testing/certificate.ts';
import { hostileGit } from './testing/hostile-git.ts';
import { hostileHg } from './testing/hostile-hg.ts';
import { gitBackend, requireLogin, serve, startHg } from './testing/serve.ts';
import { commitGit, commitHg, git } from './testing/tools.ts';
import { makeSource, never, openWorkbench, remoteOf, type Workbench } from './testing/workbench.ts';

const commit = { git: commitGit, hg: commitHg };

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

describe.each(['git', 'hg'] as const)('%s', (type) => {
  let answer: RequestListener;
  let path = '';
  let directory = '';
  beforeAll(async () => {
    const source = await makeSource(bench, type);
    ({ directory } = source);
    await commit[type](directory, { a: 'a'.repeat(1_000) });
    answer = type === 'git' ? gitBackend(directory) : bench.own(await startHg(directory)).forward;
    path = bench.freshPath();
    await bench.backends[type].importFrom(path, 'uuid', remoteOf(type, source.url), never);
    await commit[type](directory, { a: 'b'.repeat(1_000) });
  });

  const at = (origin: string) => `${origin}/${type === 'git' ? '.git' : ''}`;
  const served = async (listener: RequestListener, tls?: Parameters<typeof serve>[2]) =>
    at(bench.own(await serve(listener, '127.0.0.1', tls)).url);
  const withStatus = (status: number) => served((_request, response) => response.writeHead(status).end());

  /** Pulls; answers whether the repository was about to be written to. */
  async function pull(url: string, backend: VcsBackend, expected: unknown): Promise<boolean> {
    let writes = false;
    const beforeWriting = async () => void (writes = true);
    const pulling = backend.pull(path, remoteOf(type, url), never, { beforeWriting });
    const failure: unknown = await pulling.then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure, url).toEqual(expected);
    return writes;
  }

  /** Check, import and pull fail so, and the pull touches no byte of the repository. */
  async function expectFailure(failure: RemoteFailure, url: string, backend = bench.backends[type]): Promise<void> {
    const remote = remoteOf(type, url);
    await expect(backend.checkRemote(remote, never), url).rejects.toMatchObject({ failure });
    await expect(backend.importFrom(bench.freshPath(), 'uuid', remote, never), url).rejects.toMatchObject({ failure });
    expect(await pull(url, backend, expect.objectContaining({ failure })), url).toBe(false);
  }

  it('not found', async () => {
    for (const status of [404, 410]) await expectFailure('not found', await withStatus(status));
  });

  it('needs login', async () => {
    const closed = await served(requireLogin('ann:s3cret', answer));
    for (const url of [closed, closed.replace('://', '://ann:c@')]) await expectFailure('needs login', url);
    await expectFailure('needs login', await withStatus(403));
  });

  it('unreachable: nothing listens, the name is unknown, the certificate is not trusted', async () => {
    const away = bench.own(await serve(answer));
    await away.close();
    await expectFailure('unreachable', at(away.url));
    await expectFailure('unreachable', at('http://no-such.invalid'));
    await expectFailure('unreachable', await served(answer, { cert: certificate, key: certificateKey }));
    await expectFailure('unreachable', 'ssh://git@127.0.0.1:1/x');
  });

  it('address refused, at once or by a redirect', async () => {
    const strict = await bench.open({ allowedRemotes: [] });
    await expectFailure('address refused', await served(answer), strict[type]);
    const leading = await served((_request, response) =>
      response.writeHead(302, { Location: 'ftp://127.0.0.1:1/x' }).end(),
    );
    await expectFailure('address refused', leading);
  });

  it('not a repository', async () => {
    const page: RequestListener = (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>\nHTTP Error 404: abort: fatal:');
    await expectFailure('not a repository', await served(page));
    await expectFailure('not a repository', await withStatus(400));
  });

  it('broken remote', async () => {
    await expectFailure('broken remote', await withStatus(500));
    await expectFailure('broken remote', await served((request) => request.socket.destroy()));
  });

  it('broken remote, when it sends no pack or bundle: by then the pull has begun to write', async () => {
    const send = (response: { end: (text: string) => unknown }) => void response.end('junk');
    const broken = await served(type === 'git' ? hostileGit(['HEAD', 'refs/heads/main'], send) : hostileHg(send));
    expect(await pull(broken, bench.backends[type], expect.objectContaining({ failure: 'broken remote' }))).toBe(true);
  });

  it('D8 too large', async () => {
    const narrow = await bench.open({ importBytesMax: 100 });
    const url = await served(answer);
    const importing = narrow[type].importFrom(bench.freshPath(), 'uuid', remoteOf(type, url), never);
    await expect(importing).rejects.toMatchObject({ failure: 'too large' });
    await pull(url, narrow[type], expect.objectContaining({ failure: 'too large' }));
  });

  it('timed out', async () => {
    const silent = await served(() => {});
    const hasty = await bench.open({ fetchTimeoutMs: 500 });
    const backend = hasty[type];
    for (const act of [
      backend.checkRemote(remoteOf(type, silent), never),
      backend.importFrom(bench.freshPath(), 'uuid', remoteOf(type, silent), never),
    ]) {
      await expect(act).rejects.toMatchObject({ kind: 'timeout' });
    }
    expect(await pull(silent, backend, expect.objectContaining({ kind: 'timeout' }))).toBe(false);
  });

  it('a pull with new changesets announces that before it writes', async () => {
    const url = await served(answer);
    const fresh = await bench.backends[type].tip(path);
    expect(await pull(url, bench.backends[type], null)).toBe(true);
    expect(await bench.backends[type].tip(path)).not.toEqual(fresh);
  });
});

it('a pull lists the branches with git where discovery fails, and writes only if one is new', async () => {
  const { directory } = await makeSource(bench, 'git');
  await commitGit(directory, { a: '1' });
  const answer = gitBackend(directory);
  const { url } = bench.own(
    await serve((request, response) => {
      if (request.headers['user-agent'] === 'git/trunkline') response.writeHead(500).end();
      else answer(request, response);
    }),
  );
  const path = bench.freshPath();
  const remote = remoteOf('git', `${url}/.git`);
  const backend = bench.backends.git;
  await backend.importFrom(path, 'uuid', remote, never);
  let writes = 0;
  const pull = () => backend.pull(path, remote, never, { beforeWriting: async () => void (writes += 1) });
  await pull();
  expect(writes).toBe(0);
  await git(directory, 'branch', 'other');
  await pull();
  expect(writes).toBe(1);
});
