import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trunkline/local';
import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.ts';
import './provided.ts';

/**
 * Starts one Postgres for the run, and one cluster with two storages that the tests of single methods share. Each project calls this
 * function; the first call starts the servers for all projects, and its tear-down runs after the tests of all projects.
 */
export default async function setup({ vitest, name }: TestProject): Promise<void | (() => Promise<void>)> {
  const run = vitest.getRootProject();
  if ('cluster' in run.getProvidedContext()) return;
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-tests-'));
  // Postgres runs as an unprivileged user when the tests run as root.
  await chmod(directory, 0o755);
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), throwaway: true });
  // Figures are those of the usual instance, which has one storage.
  const storages = name === 'bench' ? [] : ['second'];
  const cluster = await startCluster({ postgresUrl: postgres.url, gateways: 1, workers: 2, storages });
  const { baseUrl, adminKey, databaseUrl, database, storageRoot, storageRoots, secret, nats } = cluster;
  const { url, gatewayUrl, workerUrl } = nats;
  const bus = { url, gatewayUrl, workerUrl };
  run.provide('postgresUrl', postgres.url);
  run.provide('cluster', { baseUrl, adminKey, databaseUrl, database, storageRoot, storageRoots, secret, bus });
  return async () => {
    await cluster.stop();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
