import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { openDatabase } from '@trunkline/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { notRunning } from '../../apps/vcs-worker/src/operations/not-running.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';

let cluster: Cluster;
let sql: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 1 });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await cluster.workers[0]?.stop();
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const lease = () => sql<{ holder: string | null }[]>`select swept_by as holder from storages`;

it('staging is cleared by the worker alone that holds the lease of the storage', async () => {
  const left = join(cluster.storageRoot, '@staging', `${randomUUID()}.1`);
  await mkdir(left);
  const other = randomUUID();
  await sql`update storages set swept_by = ${other}, sweep_lease_until = now() + interval '1 hour'`;
  // The stop of a worker waits for the sweep with which the worker began.
  await (await cluster.startWorker()).stop();
  expect(existsSync(left)).toBe(true);
  expect(await lease()).toEqual([{ holder: other }]);

  await sql`update storages set sweep_lease_until = now() - interval '1 s'`;
  const worker = await cluster.startWorker();
  await eventually(
    async () => existsSync(left),
    (exists) => !exists,
  );
  expect(await lease()).not.toEqual([{ holder: other }]);
  await worker.stop();
  expect(await lease()).toEqual([{ holder: null }]);
});

it('a trash has more entries than a statement has parameters', async () => {
  const { db, close } = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  const [running, ...ended] = Array.from({ length: 70_000 }, () => randomUUID());
  await sql`
    insert into operations (id, kind, repository_id, request, state) values (${running ?? ''}, 'pull', 1, '{}', 'running')`;
  expect(await notRunning(db, [running ?? '', ...ended])).toEqual(ended);
  await close();
});
