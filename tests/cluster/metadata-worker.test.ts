import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';

/** Settings of a worker on a machine that has neither the storage nor git and hg. */
const metadataOnly = {
  TRUNKLINE_LANES: 'metadata',
  TRUNKLINE_STORAGE_ROOT: '',
  TRUNKLINE_GIT_COMMAND: '["/missing/git"]',
  TRUNKLINE_HG_COMMAND: '["/missing/hg"]',
};

let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await cluster.startWorker(metadataOnly);
});
afterAll(() => cluster.stop());

it('a worker for the lane metadata alone needs no storage, git or hg, and makes a new database usable', async () => {
  await eventually(
    () => readReadiness(cluster.baseUrl),
    ({ missing, unserved }) => missing.length === 0 && unserved?.length === 5,
  );
  expect(await admin.result('get_users')).toMatchObject([{ username: 'admin' }]);
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  expect(await admin.error('create_repo', { repo_name: 'made', repo_type: 'git' })).toMatch(
    /^Service is temporarily unavailable/,
  );
  expect(existsSync(join(cluster.storageRoot, '.trunkline-storage'))).toBe(false);
});

it('serves metadata beside a worker that claims the storage later', async () => {
  const bytes = await cluster.startWorker({ TRUNKLINE_LANES: 'storage,download,transfer,wire,wire-push' });
  await eventually(
    () => admin.call('create_repo', { repo_name: 'made', repo_type: 'git' }),
    ({ error }) => error === null,
  );
  await bytes.stop();
  expect(await admin.result('get_repo', { repoid: 'made' })).toMatchObject({ repo_name: 'made' });
  await admin.result('update_repo', { repoid: 'made', description: 'Changed' });
});

it('a worker that serves another lane does not start without a storage', async () => {
  const start = cluster.startWorker({ ...metadataOnly, TRUNKLINE_LANES: 'metadata,storage' });
  await expect(start).rejects.toThrow('TRUNKLINE_STORAGE_ROOT must be set');
});
