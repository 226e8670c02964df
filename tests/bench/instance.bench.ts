import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { openImportBench, type ImportBench } from '../harness/kallithea/import-bench.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';
import { isShort } from './bench-form.ts';
import { report } from './median.ts';

const size = isShort
  ? { users: 10, userGroups: 2, repoGroups: 2, repositories: 10 }
  : { users: 100, userGroups: 20, repoGroups: 30, repositories: 200 };

let bench: ImportBench;
let target: Cluster;
let directory: string;

beforeAll(async () => {
  bench = await openImportBench(inject('postgresUrl'), size);
  const env = { TRUNKLINE_SECRET: bench.cluster.secret };
  target = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 1, env });
  directory = await mkdtemp(join(tmpdir(), 'trunkline-bench-instance-'));
}, 600_000);
afterAll(async () => {
  await bench.close();
  await target.stop();
  await rm(directory, { recursive: true, force: true });
});

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

/** Runs the program on an instance, as its owner. */
async function run({ database, nats }: Cluster, ...words: string[]): Promise<void> {
  const env = {
    TRUNKLINE_DATABASE_URL: database.workerUrl,
    TRUNKLINE_MIGRATE_URL: database.ownerUrl,
    TRUNKLINE_NATS_URL: nats.workerUrl,
    TRUNKLINE_SECRET: bench.cluster.secret,
  };
  const ran = await trunklinectl(words, { env });
  expect(ran).toMatchObject({ exitCode: 0 });
}

it('times of an import, of backups and of a restore', async () => {
  const source = bench.cluster;
  report(`import of ${size.repositories} small repositories, seconds`, {
    first: await secondsOf(() => bench.runImport()),
    unchanged: await secondsOf(() => bench.runImport()),
  });
  report('backup and restore of these, seconds', {
    first: await secondsOf(() => run(source, 'backup', directory)),
    unchanged: await secondsOf(() => run(source, 'backup', directory)),
    check: await secondsOf(() => run(target, 'restore', '--check', directory)),
    restore: await secondsOf(() => run(target, 'restore', directory)),
  });
}, 3_600_000);
