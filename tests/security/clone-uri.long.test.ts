import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { isNativeGitFetch, makeGitRemote } from '../harness/remotes.ts';
import { repositoryTypes } from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let canaries: string;

beforeAll(async () => {
  // The default setting, with which no private address is allowed.
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_ALLOWED_REMOTES: '' },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  canaries = await mkdtemp(join(tmpdir(), 'trunkline-canaries-'));
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
  await rm(canaries, { recursive: true, force: true });
});

const canary = () => join(canaries, 'canary');

/** URLs that must cause no request: the grammar or the egress guard refuses them. */
const hostile = (): string[] => [
  `ext::sh -c touch% ${canary()}`,
  'file:///etc/passwd',
  'file://localhost/etc',
  '/etc/passwd',
  './x',
  '../x',
  'x',
  'C:\\x',
  '~/x',
  'bundle:/etc/passwd',
  'union:/a+/b',
  'static-http://127.0.0.1/x',
  'svn+http://127.0.0.1/x',
  'git+http://127.0.0.1/x',
  'ftp://127.0.0.1/x',
  'javascript:alert(1)',
  'http:////etc/passwd',
  'http://',
  'http:///x',
  'https://-oProxyCommand=x/y',
  `ssh://-oProxyCommand=touch%20${canary()}/x`,
  `ssh://a@-oProxyCommand=touch/x`,
  'ssh://example.com/x',
  'git@github.com:a/b',
  '--config=alias.clone=!touch x',
  `--upload-pack=touch ${canary()}`,
  'http://a b/x',
  'http://127.0.0.1/x\ny',
  'http://127.0.0.1/x\r\nHost: y',
  'http://127.0.0.1/%0d%0aHost:y',
  'git://127.0.0.1/x%0ahost=y',
  'http://127.0.0.1/x',
  'http://127.1/x',
  'http://0177.0.0.1/x',
  'http://2130706433/x',
  'http://0x7f.1/x',
  'http://0/x',
  'http://[::1]/x',
  'http://[::ffff:127.0.0.1]/x',
  'http://[64:ff9b::7f00:1]/x',
  'http://[2002:7f00:1::]/x',
  'http://169.254.169.254/latest/meta-data',
  'http://[64:ff9b:1::7f00:1]/x',
  'http://[2002:7f00::]/x',
  'http://[2002:a9fe:a9fe::]/x',
  'http://[2001:0:7f00:1::]/x',
  'http://[::127.0.0.1]/x',
  'http://[::]/x',
  'http://[fe80::1]/x',
  'http://[fd00:ec2::254]/x',
  'http://0.0.0.0/x',
  'http://0x7f000001/x',
  'http://017700000001/x',
  'http://127.0.0.1./x',
  'http://127.0.0.1:22/x',
  'http://①②⑦.0.0.1/x',
  'http://127。0。0。1/x',
  'http://%31%32%37.0.0.1/x',
  'http://example.com@127.0.0.1/x',
  'http://127.0.0.1%2f@example.com/x',
  'http://127.0.0.1\\@example.com/x',
  'http://127.0.0.1#@example.com/x',
  'http://127.0.0.1?@example.com/x',
  'http://127.0.0.1%0d%0aX:y/x',
  'http://example.com%00.invalid/x',
  'http://198.18.0.1/x',
  'http://192.0.0.1/x',
  'http://224.0.0.1/x',
  'http://255.255.255.255/x',
  'http://10.0.0.1/x',
  'http://192.168.1.1/x',
  'http://172.16.0.1/x',
  'http://100.64.0.1/x',
  'http://localhost./x',
  'http://LOCALHOST/x',
  'http://localhost/x',
  'https://user:s3cret@127.0.0.1/x',
];

describe.each(repositoryTypes)('clone_uri of %s', (type) => {
  it('D6 refuses local paths, options and private addresses, and leaves nothing behind', async () => {
    for (const [index, clone_uri] of hostile().entries()) {
      const name = `${type}-${index}`;
      const text = await admin.error('create_repo', { repo_name: name, repo_type: type, clone_uri });
      expect(text, clone_uri).toMatch(
        new RegExp(`^failed to create repository \`${name}\`: (clone_uri .+|address refused|unreachable)$`),
      );
      expect(text).not.toContain('s3cret');
      expect(text).not.toContain('root:');
    }
    expect(await readdir(canaries)).toEqual([]);
    expect(await sql`select path from names`).toHaveLength(0);
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  }, 120_000);
});

describe('the egress guard', () => {
  it('D7 a loopback server receives no request, and the client receives the reason', async () => {
    const asked: string[] = [];
    const victim = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    victim.listen(0, '127.0.0.1');
    await once(victim, 'listening');
    const address = victim.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    for (const type of repositoryTypes) {
      for (const host of ['127.0.0.1', 'localhost']) {
        const clone_uri = `http://${host}:${port}/x`;
        expect(await admin.error('create_repo', { repo_name: 'ssrf', repo_type: type, clone_uri })).toBe(
          'failed to create repository `ssrf`: address refused',
        );
      }
    }
    victim.close();
    expect(asked).toEqual([]);
  });

  it('D10 a password is on no command line, in no log, no reply and no column, and masked for others', async () => {
    const allowed = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
    const seen = { asked: false, go: false };
    const remote = await makeGitRemote({
      intercept: async (request, response) => {
        if (!request.headers.authorization) {
          response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
          return true;
        }
        if (!isNativeGitFetch(request)) return false;
        seen.asked = true;
        await eventually(async () => seen.go, Boolean);
        return false;
      },
    });
    try {
      await remote.commit({ [someFile]: '1' });
      const root = createClient(allowed.baseUrl, allowed.adminKey);
      const clone_uri = remote.url.replace('://', '://bob:s3cr3t-w0rd@');
      const call = root.call('create_repo', { repo_name: 'sealed', repo_type: 'git', clone_uri });
      await eventually(async () => seen.asked, Boolean);
      const { stdout } = await promisify(execFile)('ps', ['-eww', '-o', 'args']);
      seen.go = true;
      expect(stdout).not.toContain('s3cr3t-w0rd');
      expect((await call).error).toBeNull();

      expect(await root.result('get_repo', { repoid: 'sealed' })).toMatchObject({ clone_uri });
      await root.result('create_user', { username: 'reader', email: 'reader@example.com' });
      const { api_key } = await root.result<{ api_key: string }>('get_user', { userid: 'reader' });
      const reader = createClient(allowed.baseUrl, api_key);
      const shown = await reader.result<{ clone_uri: string }>('get_repo', { repoid: 'sealed' });
      expect(shown.clone_uri).not.toContain('s3cr3t-w0rd');
      expect(shown.clone_uri).toContain('*****');
      expect(JSON.stringify(await reader.result('get_repos'))).not.toContain('s3cr3t-w0rd');

      const db = postgres(allowed.databaseUrl, { max: 1 });
      const rows = await db`select r::text as text from repositories r union all select o::text from operations o`;
      await db.end();
      expect(rows.map(({ text }) => String(text)).join('\n')).not.toContain('s3cr3t-w0rd');
      expect(await allowed.logs()).not.toContain('s3cr3t-w0rd');
      const config = await promisify(execFile)('grep', ['-rl', 's3cr3t-w0rd', allowed.storageRoot]).catch(() => null);
      expect(config).toBeNull();
    } finally {
      await remote.close();
      await allowed.stop();
    }
  });

  it('D6 another repository’s directory cannot be cloned by its path', async () => {
    await admin.result('create_repo', { repo_name: 'private', repo_type: 'git', private: true });
    const [row] = await sql`select storage_path from repositories where name = 'private'`;
    const path = join(cluster.storageRoot, String(row?.['storage_path']));
    expect(await readFile(join(path, 'HEAD'), 'utf8')).toContain('ref:');
    for (const clone_uri of [path, `file://${path}`]) {
      const text = await admin.error('create_repo', { repo_name: 'stolen', repo_type: 'git', clone_uri });
      expect(text).toMatch(/^failed to create repository `stolen`: clone_uri /);
    }
  });
});
