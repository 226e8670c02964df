import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '@trunkline/local';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-cold-copy-'));
  // Postgres runs as an unprivileged user when the tests run as root.
  await chmod(directory, 0o755);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Makes a stopped instance with database and storage in this directory, as npm start keeps them. */
async function makeInstance(dataDir: string) {
  const server = await startPostgres({ dataDir });
  const storageRoot = join(dataDir, 'repositories');
  const cluster = await startCluster({ postgresUrl: server.url, gateways: 1, workers: 1, storageRoot });
  const { adminKey, secret, databaseUrl } = cluster;
  const admin = createClient(cluster.baseUrl, adminKey);
  const remote = await makeGitRemote();
  const rawId = await remote.commit({ [someFile]: '1' });
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  await admin.result('create_repo', { repo_name: 'team/tool', repo_type: 'git', clone_uri: remote.url });
  await remote.close();
  await cluster.stop();
  await server.stop();
  return { adminKey, secret, databaseName: new URL(databaseUrl).pathname.slice(1), rawId };
}

it('an instance starts from a copy of its stopped data directory', async () => {
  const [dataDir, copy] = [join(directory, 'data'), join(directory, 'copy')];
  const { adminKey, secret, databaseName, rawId } = await makeInstance(dataDir);
  // The copy keeps owners: Postgres refuses a directory of another user.
  await promisify(execFile)('cp', ['-a', dataDir, copy]);
  await rm(dataDir, { recursive: true });

  const server = await startPostgres({ dataDir: copy });
  const cluster = await startCluster({
    postgresUrl: server.url,
    gateways: 1,
    workers: 1,
    storageRoot: join(copy, 'repositories'),
    databaseName,
    env: { TRUNKLINE_SECRET: secret },
  });
  const admin = createClient(cluster.baseUrl, adminKey);
  try {
    expect(await admin.result('get_user', { userid: 'ann' })).toMatchObject({ email: 'ann@example.com' });
    expect(await admin.result('get_repo', { repoid: 'team/tool' })).toMatchObject({
      last_changeset: { raw_id: rawId },
    });
    const nodes = { repoid: 'team/tool', revision: 'tip', root_path: '/' };
    expect(await admin.result('get_repo_nodes', nodes)).toEqual([{ name: someFile, type: 'file' }]);
    expect(await admin.result('get_consistency_report')).toMatchObject({ findings: [] });
  } finally {
    await cluster.stop();
    await server.stop();
  }
});
