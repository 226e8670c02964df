import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VcsBackend } from './backend.ts';
import type { RemoteFailure } from './remote/remote-error.ts';
import { certificate, certificateKey } from './testing/certificate.ts';
import { hostileGit } from './testing/hostile-git.ts';
import { hostileHg } from './testing/hostile-hg.ts';
import { gitHttpBackend, requireLogin, serve, startHg } from './testing/serve.ts';
import { commitGit, commitHg, git } from './testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from './testing/workbench.ts';

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
    answer = type === 'git' ? gitHttpBackend(directory) : bench.closeLater(await startHg(directory)).forwardToHg;
    path = bench.freshPath();
    await bench.backends[type].importFrom(path, 'uuid', remoteOf(type, source.url), neverAborted);
    await commit[type](directory, { a: 'b'.repeat(1_000) });
  });

  const at = (origin: string) => `${origin}/${type === 'git' ? '.git' : ''}`;
  const served = async (listener: RequestListener, tls?: Parameters<typeof serve>[2]) =>
    at(bench.closeLater(await serve(listener, '127.0.0.1', tls)).url);
  const withStatus = (status: number) => served((_request, response) => response.writeHead(status).end());

  /** Pulls, with this failure or null for none; returns whether the pull was about to write in the repository. */
  async function pull(url: string, backend: VcsBackend, expected: unknown): Promise<boolean> {
    let writes = false;
    const beforeWriting = async () => void (writes = true);
    const pulling = backend.pull(path, remoteOf(type, url), neverAborted, { beforeWriting });
    const failure: unknown = await pulling.then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure, url).toEqual(expected);
    return writes;
  }

  /** Expects check, import and pull to fail for this reason, the pull before it touches the repository. */
  async function expectFailure(failure: RemoteFailure, url: string, backend = bench.backends[type]): Promise<void> {
    const remote = remoteOf(type, url);
    await expect(backend.checkRemote(remote, neverAborted), url).rejects.toMatchObject({ failure });
    await expect(backend.importFrom(bench.freshPath(), 'uuid', remote, neverAborted), url).rejects.toMatchObject({
      failure,
    });
    expect(await pull(url, backend, expect.objectContaining({ failure })), url).toBe(false);
  }

  it('fails as not found for status 404 and 410', async () => {
    for (const status of [404, 410]) await expectFailure('not found', await withStatus(status));
  });

  it('fails as needs login with no login, with a wrong one and for status 403', async () => {
    const closed = await served(requireLogin('ann:s3cret', answer));
    for (const url of [closed, closed.replace('://', '://ann:c@')]) await expectFailure('needs login', url);
    await expectFailure('needs login', await withStatus(403));
  });

  it('fails as unreachable when nothing listens, the name is unknown or the certificate is not trusted', async () => {
    const away = bench.closeLater(await serve(answer));
    await away.close();
    await expectFailure('unreachable', at(away.url));
    await expectFailure('unreachable', at('http://no-such.invalid'));
    await expectFailure('unreachable', await served(answer, { cert: certificate, key: certificateKey }));
    await expectFailure('unreachable', 'ssh://git@127.0.0.1:1/x');
  });

  it('fails as address refused when the address itself or that of a redirect is not allowed', async () => {
    const strict = await bench.open({ allowedRemotes: [] });
    await expectFailure('address refused', await served(answer), strict[type]);
    const leading = await served((_request, response) =>
      response.writeHead(302, { Location: 'ftp://127.0.0.1:1/x' }).end(),
    );
    await expectFailure('address refused', leading);
  });

  it('fails as not a repository for another page and for status 400', async () => {
    const page: RequestListener = (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>\nHTTP Error 404: abort: fatal:');
    await expectFailure('not a repository', await served(page));
    await expectFailure('not a repository', await withStatus(400));
  });

  it('fails as broken remote for status 500 and a closed connection', async () => {
    await expectFailure('broken remote', await withStatus(500));
    await expectFailure('broken remote', await served((request) => request.socket.destroy()));
  });

  it('fails as broken remote when it sends no pack or bundle, after the pull has begun to write', async () => {
    const send = (response: { end: (text: string) => unknown }) => void response.end('junk');
    const broken = await served(type === 'git' ? hostileGit(['HEAD', 'refs/heads/main'], send) : hostileHg(send));
    expect(await pull(broken, bench.backends[type], expect.objectContaining({ failure: 'broken remote' }))).toBe(true);
  });

  it('D8 fails as too large beyond the limit of bytes', async () => {
    const narrow = await bench.open({ importBytesMax: 100 });
    const url = await served(answer);
    const importing = narrow[type].importFrom(bench.freshPath(), 'uuid', remoteOf(type, url), neverAborted);
    await expect(importing).rejects.toMatchObject({ failure: 'too large' });
    await pull(url, narrow[type], expect.objectContaining({ failure: 'too large' }));
  });

  it('fails at the timeout when the remote never answers, before a pull writes', async () => {
    const silent = await served(() => {});
    const hasty = await bench.open({ fetchTimeoutMs: 500 });
    const backend = hasty[type];
    for (const act of [
      () => backend.checkRemote(remoteOf(type, silent), neverAborted),
      () => backend.importFrom(bench.freshPath(), 'uuid', remoteOf(type, silent), neverAborted),
    ]) {
      await expect(act()).rejects.toMatchObject({ kind: 'timeout' });
    }
    expect(await pull(silent, backend, expect.objectContaining({ kind: 'timeout' }))).toBe(false);
  });

  it('calls beforeWriting in a pull with new changesets', async () => {
    const url = await served(answer);
    const fresh = await bench.backends[type].tip(path);
    expect(await pull(url, bench.backends[type], null)).toBe(true);
    expect(await bench.backends[type].tip(path)).not.toEqual(fresh);
  });
});

it('a pull lists the branches with native git when discovery fails, and writes only for a new branch', async () => {
  const { directory } = await makeSource(bench, 'git');
  await commitGit(directory, { a: '1' });
  const answer = gitHttpBackend(directory);
  const { url } = bench.closeLater(
    await serve((request, response) => {
      if (request.headers['user-agent'] === 'git/trunkline') response.writeHead(500).end();
      else answer(request, response);
    }),
  );
  const path = bench.freshPath();
  const remote = remoteOf('git', `${url}/.git`);
  const backend = bench.backends.git;
  await backend.importFrom(path, 'uuid', remote, neverAborted);
  let writes = 0;
  const pull = () => backend.pull(path, remote, neverAborted, { beforeWriting: async () => void (writes += 1) });
  await pull();
  expect(writes).toBe(0);
  await git(directory, 'branch', 'other');
  await pull();
  expect(writes).toBe(1);
});
