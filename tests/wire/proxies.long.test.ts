import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { byForm } from '../harness/long-form.ts';
import { mainBranch } from '../harness/unique-name.ts';
import { commitFile, makeWorkTree, objectsOf } from './matrix/git-source.ts';
import { useMatrixCluster } from './matrix/matrix-cluster.ts';
import { bundleOf } from './hg-bundle.ts';
import { foundProxies, startProxy, type TestProxy } from './proxies/start-proxy.ts';
import { git, hg, runGit, runHg } from './vcs-cluster.ts';

vi.setConfig({ testTimeout: 300_000 });

const proxyAddress = '127.0.0.2';
const clientAddress = '127.0.0.3';
const pushBytesMax = 40_000_000;
const matrix = useMatrixCluster({
  env: { TRUNKLINE_TRUSTED_PROXIES: proxyAddress, TRUNKLINE_PUSH_BYTES_MAX: String(pushBytesMax) },
});

if (foundProxies.length < 2) console.warn('Not all proxies were found: `npm test` finds or fetches nginx and haproxy.');

const variants = foundProxies.flatMap((name) => [
  { name, title: name, buffering: false },
  ...(name === 'nginx' ? [{ name, title: 'nginx that stores bodies', buffering: true }] : []),
]);

/** Begins a request from the address of a client. */
function begin({ url }: TestProxy, path: string, headers: Readonly<Record<string, string>>) {
  const authorization = `Basic ${Buffer.from(`api-key:${matrix().admin.apiKey}`).toString('base64')}`;
  const options = { method: 'POST', localAddress: clientAddress, agent: false, headers: { authorization, ...headers } };
  const sent = request(url + path, options).on('error', () => {});
  const response = once(sent, 'response').then(([one]) => one as IncomingMessage);
  return { sent, response };
}

describe.each(variants)('through $title', ({ name, buffering }) => {
  let proxy: TestProxy;
  let login = '';
  beforeAll(async () => {
    const { cluster, admin } = matrix();
    login = `api-key:${admin.apiKey}`;
    proxy = await startProxy(name, { from: proxyAddress, gateways: cluster.baseUrls, buffering });
  }, 180_000);
  afterAll(() => proxy?.close());

  const urlOf = (repository: string, as = login) =>
    `http://${as === '' ? '' : `${as}@`}${new URL(proxy.url).host}/${repository}`;

  /** Push much, then little, and clone it; return what was pushed and what was cloned. */
  const roundTrips = {
    async git(repository: string) {
      const [path, copy] = [matrix().freshPath(), matrix().freshPath()];
      await makeWorkTree(path, 1);
      await writeFile(join(path, 'random'), randomBytes(byForm(3_000_000, 20_000_000)));
      await commitFile(path, 'with much');
      await git(path, '-c', 'http.postBuffer=65536', 'push', '-q', urlOf(repository), mainBranch);
      await commitFile(path, 'a small one');
      await git(path, 'push', '-q', urlOf(repository), mainBranch);
      await git('/', 'clone', '-q', urlOf(repository), copy);
      return Promise.all([path, copy].map((one) => objectsOf(one, 'HEAD')));
    },
    async hg(repository: string) {
      const [path, copy] = [matrix().freshPath(), matrix().freshPath()];
      await hg('/', 'init', path);
      for (const size of [byForm(200_000, 20_000_000), 10]) {
        await writeFile(join(path, 'random'), randomBytes(size));
        await hg(path, 'commit', '-q', '-A', '-m', `with ${size}`);
        await hg(path, 'push', '-q', urlOf(repository));
      }
      await hg('/', 'clone', '-q', urlOf(repository), copy);
      await hg(copy, 'verify', '-q');
      return Promise.all([path, copy].map((one) => hg(one, 'log', '-T', '{node}')));
    },
  } as const;

  // The short form shows each system through one proxy.
  const systems = ['git', 'hg'] as const;
  it.each(systems)('%s pushes and clones, and the address of its client is recorded', async (system) => {
    const { makeRepository, sql } = matrix();
    const repository = await makeRepository(system, 'proxied');
    const [pushed, cloned] = await roundTrips[system](repository);
    expect(cloned).toEqual(pushed);
    const entries = await sql`select ip from audit_log where method = 'push' and args->>'repoid' = ${repository}`;
    expect(entries.map(({ ip }) => String(ip))).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('clients are asked for a login, and told of a wrong one', async () => {
    const repository = await matrix().makeRepository('git', 'closed');
    const { hostname, port } = new URL(proxy.url);
    const helper = '!echo username=api-key; echo "password=$KEY"; :';
    const asked = ['-c', `credential.helper=${helper}`, 'ls-remote', '-q', `http://${hostname}:${port}/${repository}`];
    const right = await runGit('/', asked, { KEY: matrix().admin.apiKey });
    expect(right).toMatchObject({ exitCode: 0 });
    expect((await runGit('/', ['ls-remote', urlOf(repository, 'admin:wrong')])).stderr).toContain(
      'Authentication failed',
    );
    const wrong = await runHg('/', ['identify', urlOf(repository, 'admin:wrong')]);
    expect(wrong.stderr).toContain('authorization failed');
  });

  it('B12 a client has its own address, whatever it claims', async () => {
    const { admin } = matrix();
    const body = JSON.stringify({ id: 1, api_key: admin.apiKey, method: 'get_ip', args: { userid: 'admin' } });
    const { sent, response } = begin(proxy, '/_admin/api', { 'x-forwarded-for': '10.9.8.7' });
    sent.end(body);
    const reply = JSON.parse((await buffer(await response)).toString());
    expect(reply).toMatchObject({ error: null, result: { ip_addr_server: clientAddress } });
  });

  it('a push that is too large is refused at once, and one that expects an answer first gets it', async () => {
    const repository = await matrix().makeRepository('git', 'bounded');
    const large = begin(proxy, `/${repository}/git-receive-pack`, {
      'content-type': 'application/x-git-receive-pack-request',
      'content-length': String(pushBytesMax + 1),
    });
    // A proxy that stores bodies passes on whole ones alone.
    large.sent.write(Buffer.alloc(buffering ? pushBytesMax + 1 : 100));
    const refusal = await large.response;
    const told = `ERR The push is larger than ${pushBytesMax} bytes`;
    expect([refusal.statusCode, (await buffer(refusal)).toString()]).toEqual([200, expect.stringContaining(told)]);
    large.sent.destroy();

    const query = '0014command=ls-refs\n0000';
    const expecting = begin(proxy, `/${repository}/git-upload-pack`, {
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
      'content-length': String(query.length),
      expect: '100-continue',
    });
    await once(expecting.sent, 'continue');
    expecting.sent.end(query);
    const answer = await expecting.response;
    expect([answer.statusCode, (await buffer(answer)).toString()]).toEqual([200, '0000']);
  });
});

/** Empty packets that a push gets, five seconds apart: more than the proxies would wait for. */
const packets = 4;
const idleSeconds = 12;

describe.each(foundProxies)('through %s, which gives up soon', (name) => {
  let proxy: TestProxy;
  beforeAll(async () => {
    proxy = await startProxy(name, { from: proxyAddress, gateways: matrix().cluster.baseUrls, idleSeconds });
  }, 180_000);
  afterAll(() => proxy?.close());
  beforeEach(() => writeFile(matrix().hold, ''));
  afterEach(() => rm(matrix().hold, { force: true }));

  it('git is kept waiting while its push is stored', async () => {
    const { admin, hold, makeRepository, freshPath } = matrix();
    const [repository, path, trace] = [await makeRepository('git', 'slow'), freshPath(), freshPath()];
    const url = `http://api-key:${admin.apiKey}@${new URL(proxy.url).host}/${repository}`;
    await makeWorkTree(path, 1);
    const pushing = runGit(path, ['push', url, mainBranch], { GIT_TRACE_PACKET: trace });
    const kept = async () => [...(await readFile(trace, 'utf8').catch(() => '')).matchAll(/sideband< /g)].length;
    await eventually(kept, (count) => count >= packets, 120);
    await rm(hold);
    expect(await pushing).toMatchObject({ exitCode: 0 });
  });

  it('hg is kept waiting while its push is applied', async () => {
    const { hold, makeRepository } = matrix();
    const repository = await makeRepository('hg', 'slow');
    const push = begin(proxy, `/${repository}?cmd=unbundle`, {
      'content-type': 'application/mercurial-0.1',
      'x-hgarg-1': 'heads=666f726365',
      'x-hgproto-1': '0.1 0.2 comp=none',
    });
    push.sent.end(bundleOf());
    const response = await push.response;
    let parts = 0;
    response.on('data', () => (parts += 1));
    const ended = once(response, 'end');
    await eventually(
      async () => parts,
      (count) => count >= packets,
      120,
    );
    await rm(hold);
    await ended;
    expect([response.statusCode, response.complete]).toEqual([200, true]);
  });
});
