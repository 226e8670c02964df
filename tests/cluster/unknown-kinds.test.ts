import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { strandOperation } from '../harness/strand-operation.ts';

let cluster: Cluster;
let sql: postgres.Sql;
let admin: Client;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
});

it('an operation of a kind of the next release is cancelled by its workers alone, also while its storage is away', async () => {
  await admin.result('create_repo', { repo_name: 'one', repo_type: 'git' });
  const operation_id = await strandOperation(sql, 'shrink', { name: 'one' });
  const away = randomUUID();
  await sql`insert into storages (id, name, state) values (${away}, 'away', 'offline')`;
  await sql`update operations set storage_id = ${away} where id = ${operation_id}`;
  expect(await admin.result('cancel_operation', { operation_id })).toEqual({
    success: true,
    msg: `operation \`${operation_id}\` is being cancelled, which only workers of the release that knows its kind can do`,
  });
  expect(await admin.result('get_operation', { operation_id })).toMatchObject({ kind: 'shrink', state: 'running' });
  expect(await admin.result('cancel_operation', { operation_id })).toEqual({
    success: false,
    msg: `operation \`${operation_id}\` is already being cancelled`,
  });
});
