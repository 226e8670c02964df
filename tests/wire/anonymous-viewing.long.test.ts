import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pushingClient, type PushingClient } from './matrix/pushing-client.ts';
import { useMatrixCluster } from './matrix/matrix-cluster.ts';
import { gitPrograms, hgPrograms } from './matrix/programs.ts';
import { foundProxies, startProxy, type TestProxy } from './proxies/start-proxy.ts';
import { someFile } from '../harness/unique-name.ts';

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: 300_000 });

const proxyAddress = '127.0.0.2';
const matrix = useMatrixCluster({
  env: { TRUNKLINE_TRUSTED_PROXIES: proxyAddress, TRUNKLINE_ANONYMOUS_VIEWING: 'true' },
});
const password = 'a secret of ann';

beforeAll(async () => {
  await matrix().admin.result('create_user', { username: 'ann', email: 'ann@example.com', password });
}, 120_000);

let made = 0;
async function makeRepository(type: 'git' | 'hg', options: { readonly private?: boolean } = {}): Promise<string> {
  const name = `viewed-${(made += 1)}`;
  await matrix().admin.result('create_repo', { repo_name: name, repo_type: type, ...options });
  return name;
}

/** Makes a repository of a client, with one commit. */
async function makeSource(client: PushingClient): Promise<string> {
  const path = matrix().freshPath();
  await client.init(path);
  await writeFile(join(path, someFile), 'one');
  await client.commit(path);
  return path;
}

const ann = `ann:${encodeURIComponent(password)}`;
const admin = () => `api-key:${matrix().admin.apiKey}`;
const grant = (repoid: string, perm: string) =>
  matrix().admin.result('grant_user_permission', { repoid, userid: 'ann', perm: `repository.${perm}` });

describe.each(['gateway' as const, ...foundProxies])('through %s', (way) => {
  let proxy: TestProxy | null = null;
  beforeAll(async () => {
    const gateways = matrix().cluster.baseUrls;
    if (way !== 'gateway') proxy = await startProxy(way, { from: proxyAddress, gateways });
  }, 180_000);
  afterAll(() => proxy?.close());

  const urlOf = (name: string, login = '') =>
    `${proxy?.url ?? matrix().cluster.baseUrl}/${name}`.replace('://', login === '' ? '://' : `://${login}@`);

  describe.each([...hgPrograms, ...gitPrograms].map(pushingClient))('$name', (client) => {
    it('pushes with a login in the URL, and visitors clone and pull', async () => {
      const [name, path, copy] = [await makeRepository(client.system), await makeSource(client), matrix().freshPath()];
      expect(await client.push(path, urlOf(name, admin()))).toMatchObject({ exitCode: 0 });
      expect(await client.clone(urlOf(name), copy)).toMatchObject({ exitCode: 0 });
      await writeFile(join(path, 'random'), randomBytes(12_000_000));
      await client.commit(path);
      await grant(name, 'write');
      expect(await client.pushWithMark(path, urlOf(name, ann))).toMatchObject({ exitCode: 0 });
      expect(await client.push(path, urlOf(name, ann))).toMatchObject(client.nothingToPush);
      expect((await client.look(copy, urlOf(name))).stdout).toContain(client.isSeen);
      expect(await client.pull(copy, urlOf(name))).toMatchObject({ exitCode: 0 });
      expect(await client.tipOf(copy)).toBe(await client.tipOf(path));
    });

    it('pushes with the login of a user’s settings', async () => {
      const [name, path] = [await makeRepository(client.system), await makeSource(client)];
      const pushed = await client.push(path, urlOf(name), client.withLogin('admin', matrix().admin.apiKey));
      expect(pushed).toMatchObject({ exitCode: 0 });
    });

    it('is told why it may not push', async () => {
      const { admin: owner } = matrix();
      const [name, path] = [await makeRepository(client.system), await makeSource(client)];
      const { api_key: limited } = await owner.result<{ api_key: { api_key: string } }>('create_api_key', {
        limited_to: 'fetch',
      });
      await writeFile(join(path, 'random'), randomBytes(2_000_000));
      await client.commit(path);
      const told = async (login: string) => (await client.push(path, urlOf(name, login))).stderr;
      expect(await told('')).toMatch(client.refusals.noLogin);
      expect(await told('admin:wrong')).toMatch(client.refusals.wrongLogin);
      expect(await told(`api-key:${limited.api_key}`)).toMatch(client.refusals.forbidden);
      expect(await told(ann)).toMatch(client.refusals.forbidden);
      await grant(name, 'write');
      await owner.result('lock', { repoid: name, locked: true });
      expect(await told(ann)).toMatch(client.refusals.locked);
    });

    it('pushes into a repository that visitors may not read, and clones it with a login alone', async () => {
      const name = await makeRepository(client.system, { private: true });
      const [path, copy] = [await makeSource(client), matrix().freshPath()];
      expect((await client.push(path, urlOf(name))).stderr).toMatch(client.refusals.noLogin);
      expect(await client.push(path, urlOf(name, admin()))).toMatchObject({ exitCode: 0 });
      expect((await client.clone(urlOf(name), copy)).stderr).toMatch(client.refusals.noLogin);
      expect(await client.clone(urlOf(name, admin()), copy)).toMatchObject({ exitCode: 0 });
      expect(await client.tipOf(copy)).toBe(await client.tipOf(path));
    });
  });

  describe.each(hgPrograms.map(pushingClient))('$name', (client) => {
    it('pushes into a repository with more heads than headers hold, which visitors clone', async () => {
      const [name, path, copy] = [await makeRepository('hg'), matrix().freshPath(), matrix().freshPath()];
      await client.init(path);
      await client.run(path, 'debugbuilddag', `.:r ${'*r '.repeat(800)}`);
      expect(await client.push(path, urlOf(name, admin()), ['--force'])).toMatchObject({ exitCode: 0 });
      expect(await client.clone(urlOf(name), copy)).toMatchObject({ exitCode: 0 });
      await writeFile(join(path, someFile), 'one more');
      await client.commit(path);
      expect(await client.push(path, urlOf(name, admin()), ['--force'])).toMatchObject({ exitCode: 0 });
      expect(await client.pull(copy, urlOf(name))).toMatchObject({ exitCode: 0 });
      expect(await client.tipOf(copy)).toBe(await client.tipOf(path));
    });
  });

  const requests = {
    hg: { path: '?cmd=unbundle', type: 'application/mercurial-0.1', argsBytes: '20' },
    git: { path: '/git-receive-pack', type: 'application/x-git-receive-pack-request', argsBytes: '0' },
  } as const;
  const ends = [['hg', 'does not come', 0] as const, ['git', 'does not come', 0] as const];
  // Until the lowest rate is asked for, half a minute passes; proxies pass on what comes.
  const stops = [['hg', 'stops', 200_000] as const, ['git', 'stops', 200_000] as const];

  it.each([...ends, ...(way === 'gateway' ? stops : [])])(
    'A5 F8 a push of %s whose body %s is refused as one of its client',
    async (system, _what, bytes) => {
      const name = await makeRepository(system);
      const { path, type, argsBytes } = requests[system];
      const authorization = `Basic ${Buffer.from(admin()).toString('base64')}`;
      const own = { 'content-type': type, 'content-length': '1000000', 'x-hgargs-post': argsBytes };
      const options = { method: 'POST', agent: false, headers: { ...own, authorization } };
      const sent = request(urlOf(name) + path, options).on('error', () => {});
      sent.flushHeaders();
      if (bytes > 0) sent.write(Buffer.alloc(bytes));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(400);
      sent.destroy();
    },
  );
});
