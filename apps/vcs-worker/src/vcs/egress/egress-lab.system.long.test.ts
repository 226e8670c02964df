import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { VcsBackend } from '../backend.ts';
import { bundleFrom, hostileHg } from '../testing/hostile-hg.ts';
import { gitHttpBackend, startHg } from '../testing/serve.ts';
import { commitGit, commitHg, git } from '../testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from '../testing/workbench.ts';

/** The address that the operator allows, and the one that no connection may reach; both servers have the same port. */
const allowed = '127.0.0.2';
const victimHost = '127.0.0.1';

let bench: Workbench;
let backends: Workbench['backends'];
let port = 0;
let visits = 0;
/** Current answers of the remote, and of the name server. */
let answer: RequestListener = (_request, response) => response.end();
let addressesOf: (host: string) => readonly string[];

async function listen(server: Server, host: string, at = 0): Promise<number> {
  server.listen(at, host);
  await once(server, 'listening');
  bench.closeLater({ close: () => void server.close() });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

beforeAll(async () => {
  bench = await openWorkbench();
  const lookup = async (host: string) => addressesOf(host);
  backends = await bench.open({ allowedRemotes: [`${allowed}/32`], lookup });
  const victim = () =>
    createTcpServer((socket) => {
      visits += 1;
      socket.destroy();
    });
  port = await listen(victim(), victimHost);
  await listen(victim(), '::1', port);
  await listen(
    createHttpServer((request, response) => answer(request, response)),
    allowed,
    port,
  );
});
afterAll(() => bench.close());

beforeEach(() => {
  visits = 0;
  addressesOf = (host) => (host === 'remote.example' ? [allowed] : host === 'victim.example' ? [victimHost] : []);
});

const redirect = (response: ServerResponse, location: string, status = 302) =>
  response.writeHead(status, { Location: location }).end();

describe.each(['git', 'hg'] as const)('%s', (type) => {
  let backend: VcsBackend;
  let honest: RequestListener;
  let imported = '';
  let rawId = '';
  const pathname = type === 'git' ? '/.git' : '/';
  const at = (host: string) => remoteOf(type, `http://${host}:${port}${pathname}`);

  beforeAll(async () => {
    backend = backends[type];
    const { directory } = await makeSource(bench, type);
    // LFS objects and submodules, which clients with a work tree might fetch, too.
    const elsewhere = `http://${victimHost}:${port}/x`;
    rawId = await { git: commitGit, hg: commitHg }[type](directory, {
      '.lfsconfig': `[lfs]\n\turl = ${elsewhere}\n`,
      '.gitattributes': '* filter=lfs diff=lfs merge=lfs\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ${elsewhere}\n`,
      file: `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 1\n`,
    });
    honest = type === 'git' ? gitHttpBackend(directory) : bench.closeLater(await startHg(directory)).forwardToHg;
    answer = honest;
    addressesOf = () => [allowed];
    imported = bench.freshPath();
    await backend.importFrom(imported, 'uuid', at('remote.example'), neverAborted);
  }, 60_000);

  /** Expects that a check, an import and a pull fail, and that no connection reaches the victim. */
  async function expectNothingThrough(host = 'remote.example'): Promise<void> {
    const failing = { kind: expect.stringMatching(/^remote-(?:refused|failed)$/) };
    const path = bench.freshPath();
    await expect(backend.checkRemote(at(host), neverAborted)).rejects.toMatchObject(failing);
    await expect(backend.importFrom(path, 'uuid', at(host), neverAborted)).rejects.toMatchObject(failing);
    await expect(backend.pull(imported, at(host), neverAborted)).rejects.toMatchObject(failing);
    expect(visits).toBe(0);
  }

  it('D7 an import fetches the content of a repository, but no LFS object or submodule that it names', async () => {
    expect(await backend.tip(imported)).toMatchObject({ rawId });
    for await (const chunk of backend.archive(imported, rawId, { format: 'tar', prefix: 'x', subrepos: true })) {
      expect(chunk.length).toBeGreaterThan(0);
    }
    expect(visits).toBe(0);
  });

  it('D7 follows a redirect to the new address of a repository', async () => {
    answer = (request, response) => {
      const url = request.url ?? '';
      if (url.startsWith(type === 'git' ? '/.git/' : '/new')) {
        request.url = url.replace('/new', '/');
        return honest(request, response);
      }
      return redirect(response, type === 'git' ? url.replace('/moved', '/.git') : url.replace('/moved', '/new'), 301);
    };
    const path = bench.freshPath();
    const moved = remoteOf(type, `http://remote.example:${port}/moved`);
    await backend.checkRemote(moved, neverAborted);
    await backend.importFrom(path, 'uuid', moved, neverAborted);
    await backend.pull(path, moved, neverAborted);
    expect(await backend.tip(path)).toMatchObject({ rawId });
  });

  it.each([
    `http://${victimHost}:@`,
    'http://victim.example:@',
    'http://localhost:@',
    'http://localhost.:@',
    'http://127.1:@',
    'http://0x7f000001:@',
    'http://0.0.0.0:@',
    'http://[::1]:@',
    'http://[::ffff:127.0.0.1]:@',
    `http://user:pw@${victimHost}:@`,
    `http://remote.example:@@${victimHost}:@`,
    `//${victimHost}:@`,
    `https://${victimHost}:@`,
    `git://${victimHost}:@`,
    `ssh://${victimHost}:@`,
    `ftp://${victimHost}:@`,
    'file:///etc/passwd?',
    'ext::sh -c id',
  ])('D7 a redirect to %s fails without a connection to the victim', async (location) => {
    answer = (request, response) => redirect(response, location.replaceAll('@', String(port)) + (request.url ?? ''));
    await expectNothingThrough();
  });

  it.each([301, 302, 307, 308])('D7 does not follow a %i redirect in the middle of a transfer', async (status) => {
    answer = (request, response) => {
      const url = request.url ?? '';
      if (!/upload-pack$|cmd=getbundle/.test(url)) return honest(request, response);
      if (request.method === 'GET' && type === 'git') return honest(request, response);
      return redirect(response, `http://${victimHost}:${port}${url}`, status);
    };
    const importing = backend.importFrom(bench.freshPath(), 'uuid', at('remote.example'), neverAborted);
    await expect(importing).rejects.toMatchObject({ kind: expect.stringMatching(/^remote-/) });
    expect(visits).toBe(0);
  });

  it.each([
    ['IPv4', [allowed, victimHost]],
    ['IPv6', [allowed, '::1']],
    ['mapped IPv6', [allowed, '::ffff:127.0.0.1']],
  ])('D7 refuses a name that resolves to an allowed and a private address: %s', async (_name, addresses) => {
    answer = honest;
    addressesOf = () => addresses;
    await expectNothingThrough();
    addressesOf = () => addresses.toReversed();
    await expectNothingThrough();
  });

  it('D7 refuses a name that changes to a private address at any connection of a transfer, or later', async () => {
    answer = honest;
    let connections = 0;
    addressesOf = () => ((connections += 1), [allowed]);
    await backend.importFrom(bench.freshPath(), 'uuid', at('remote.example'), neverAborted);
    const needed = connections;
    expect(needed).toBeGreaterThan(0);
    for (let honestAnswers = 0; honestAnswers < needed; honestAnswers += 1) {
      connections = 0;
      addressesOf = () => [(connections += 1) > honestAnswers ? victimHost : allowed];
      const importing = backend.importFrom(bench.freshPath(), 'uuid', at('remote.example'), neverAborted);
      await expect(importing).rejects.toMatchObject({ kind: 'remote-refused' });
    }
    addressesOf = () => [victimHost];
    await expect(backend.pull(imported, at('remote.example'), neverAborted)).rejects.toMatchObject({
      kind: 'remote-refused',
    });
    expect(visits).toBe(0);
    addressesOf = () => [allowed];
    await backend.pull(imported, at('remote.example'), neverAborted);
  });
});

it('D7 does not follow a Mercurial server that refers to bundles at another address', async () => {
  const elsewhere = `http://${victimHost}:${port}/bundle`;
  const asked: string[] = [];
  const bundles = hostileHg(bundleFrom(elsewhere), 'clonebundles bundle2=HG20%0Achangegroup%3D01%2C02');
  answer = (request, response) => {
    asked.push(new URL(request.url ?? '', 'http://host.example').searchParams.get('cmd') ?? '');
    if (asked.at(-1) === 'clonebundles') response.end(`${elsewhere} BUNDLESPEC=none-v2\n`);
    else bundles(request, response);
  };
  const remote = remoteOf('hg', `http://remote.example:${port}/`);
  await expect(backends.hg.importFrom(bench.freshPath(), 'uuid', remote, neverAborted)).rejects.toMatchObject({
    kind: 'remote-refused',
  });
  expect(asked).toContain('getbundle');
  expect(asked).not.toContain('clonebundles');
  expect(visits).toBe(0);
});

it('D7 does not follow a git server that refers to objects at another address', async () => {
  const { directory } = await makeSource(bench, 'git');
  const rawId = await commitGit(directory, { a: '1' });
  await git(directory, 'update-server-info');
  await rm(join(directory, '.git/objects', rawId.slice(0, 2), rawId.slice(2)));
  const asked: string[] = [];
  answer = (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://host.example');
    asked.push(pathname);
    if (pathname.endsWith('alternates')) return response.end(`http://${victimHost}:${port}/objects\n`);
    readFile(join(directory, pathname)).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  };
  const remote = remoteOf('git', `http://remote.example:${port}/.git`);
  await expect(backends.git.importFrom(bench.freshPath(), 'uuid', remote, neverAborted)).rejects.toMatchObject({
    kind: 'remote-failed',
  });
  expect(asked).toContain(`/.git/objects/${rawId.slice(0, 2)}/${rawId.slice(2)}`);
  expect(visits).toBe(0);
});

it('the victim counts connections that arrive', async () => {
  for (const host of [victimHost, '::1'])
    await once(
      connect(port, host).on('error', () => {}),
      'close',
    );
  expect(visits).toBe(2);
});
