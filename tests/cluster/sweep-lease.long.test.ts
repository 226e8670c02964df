import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { openDatabase } from '@trunkline/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { notRunning } from '../../apps/vcs-worker/src/jobs/operations/operation-end.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { mainBranch, mainReference } from '../harness/unique-name.ts';

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

it('default branches that an earlier release did not record are read when a worker starts', async () => {
  const heads = { main: `ref: ${mainReference}\n`, detached: `${'1'.repeat(40)}\n` };
  const count = 120;
  await sql`
    insert into names (path, kind)
      select kind || nth, 'repository' from generate_series(1, ${count}) nth, unnest(array['main', 'detached', 'lost', 'hg']) kind`;
  await sql`
    insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
        landing_rev, enable_downloads, enable_locking, enable_statistics)
      select gen_random_uuid(), kind || nth, case kind when 'hg' then 'hg' else 'git' end, 'ready', s.id, kind || nth,
          false, '', u.id, 'tip', false, false, false
        from generate_series(1, ${count}) nth, unnest(array['main', 'detached', 'lost', 'hg']) kind, storages s, users u
        where u.username = 'admin'`;
  for (const [kind, head] of Object.entries(heads)) {
    for (let nth = 1; nth <= count; nth += 1) {
      const path = join(cluster.storageRoot, `${kind}${nth}`);
      await mkdir(path);
      await writeFile(join(path, 'HEAD'), head);
    }
  }
  const worker = await cluster.startWorker();
  const known = () => sql`
    select default_branch, count(*)::int, max(generation)::int as generation from repositories
      where default_branch is not null group by 1`;
  const found = await eventually(known, ([row]) => row?.['count'] === count, 60);
  expect(found).toEqual([{ default_branch: mainBranch, count, generation: 1 }]);
  await worker.stop();
  await sql`delete from repositories`;
});

it('a trash has more entries than a statement has parameters', async () => {
  const { db, close } = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  const [running, ...ended] = Array.from({ length: 70_000 }, () => randomUUID());
  await sql`
    insert into operations (id, kind, repository_id, request, state) values (${running ?? ''}, 'pull', 1, '{}', 'running')`;
  expect(await notRunning(db, [running ?? '', ...ended])).toEqual(ended);
  await close();
});
