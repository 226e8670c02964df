import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chmod } from 'node:fs/promises';
import { startPostgres } from '@trunkline/local';
import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.ts';
import './provided.ts';

/** One Postgres for the run, and one cluster that the tests of single operations share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-tests-'));
  // Postgres runs as an unprivileged user when the tests run as root.
  await chmod(directory, 0o755);
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), throwaway: true });
  const cluster = await startCluster({ postgresUrl: postgres.url, gateways: 1, workers: 2 });
  const { baseUrl, adminKey, databaseUrl, storageRoot, secret } = cluster;
  project.provide('postgresUrl', postgres.url);
  project.provide('cluster', { baseUrl, adminKey, databaseUrl, storageRoot, secret });
  return async () => {
    await cluster.stop();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
