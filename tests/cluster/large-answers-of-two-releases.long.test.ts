import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import * as v from 'valibot';
import { buildPreviousRelease } from '../harness/build-previous-release.ts';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { previousRelease } from '../harness/previous-release.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const built = await buildPreviousRelease();
if ('missing' in built) console.warn(`${built.missing} Tests beside the previous release are left out.`);
const entryOf = (app: string) => join('directory' in built ? built.directory : '', 'apps', app, 'dist/main.js');

const count = 1_200;
/** Whole, in pages; and in one piece, which is larger than a message. */
const lists = [{}, { limit: 400 }];
const counts = [count, 400];
const Ready = v.object({ metricsPort: v.number() });

describe.skipIf('missing' in built)(`between release ${previousRelease.version} and this one`, () => {
  let cluster: Cluster;
  let sql: postgres.Sql;
  beforeAll(async () => {
    cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 0, withoutSchema: true });
    sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  });
  afterAll(async () => {
    await sql.end();
    await cluster.kill();
  });

  async function addRepositories(): Promise<void> {
    await sql`insert into names (path, kind) select 'r' || n, 'repository' from generate_series(1, ${count}::int) n`;
    await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
        landing_rev, enable_downloads, enable_locking, enable_statistics)
      select gen_random_uuid(), 'r' || n, 'git', 'ready', (select id from storages), 'r' || n, false,
        repeat('ä"', 1000), (select min(id) from users where admin), 'tip', false, false, false
      from generate_series(1, ${count}::int) n order by n`;
  }

  /** Returns how many repositories both lists have, as a gateway answers them. */
  async function countsFrom({ baseUrl }: { readonly baseUrl: string }): Promise<number[]> {
    const { call } = createClient(baseUrl, cluster.adminKey);
    const found: number[] = [];
    for (const args of lists) {
      const { result } = await eventually(
        () => call('get_repos', args),
        ({ error }) => error === null,
      );
      found.push(new Set((result as { repo_name: string }[]).map(({ repo_name }) => repo_name)).size);
    }
    return found;
  }

  async function bytesOut({ ready }: { readonly ready: unknown }): Promise<number> {
    const url = `http://127.0.0.1:${v.parse(Ready, ready).metricsPort}/metrics`;
    const [, bytes] =
      /^trunkline_data_bytes_total\{direction="out"\} (\d+)$/m.exec(await (await fetch(url)).text()) ?? [];
    return Number(bytes);
  }

  it('large answers arrive, over the bus where one end is of the previous release and over the data port otherwise', async () => {
    const oldEnv = { TRUNKLINE_DATABASE_URL: cluster.database.ownerUrl };
    const oldWorker = await cluster.startWorker(oldEnv, entryOf('vcs-worker'));
    const oldGateway = await cluster.startGateway(oldEnv, entryOf('gateway'));
    const migrating = await cluster.startWorker({ TRUNKLINE_MIGRATE_URL: cluster.database.ownerUrl });
    const gateway = await cluster.startGateway();
    await addRepositories();
    await migrating.stop();
    expect([await countsFrom(gateway), await countsFrom(oldGateway)]).toEqual([counts, counts]);

    const worker = await cluster.startWorker();
    await oldWorker.stop();
    const before = await bytesOut(worker);
    expect(await countsFrom(oldGateway)).toEqual(counts);
    // Gateways check the data port with a few bytes.
    expect((await bytesOut(worker)) - before).toBeLessThan(10_000);
    expect(await countsFrom(gateway)).toEqual(counts);
    expect((await bytesOut(worker)) - before).toBeGreaterThan(5_000_000);
  });
});
