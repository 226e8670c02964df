import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import type { Cluster } from '../../harness/cluster.ts';
import { residentMb } from '../load.ts';
import { sampleSlots } from './sample-slots.ts';
import {
  descendants,
  descriptorsOf,
  proportionalMb,
  readProcesses,
  type ProcessTable,
} from '../../harness/process-figures.ts';

/** Figures of one moment by name, such as `worker 1 MB`. */
export type Sample = Readonly<Record<string, number>>;

export interface Sampled {
  readonly cluster: Cluster;
  readonly sql: Sql;
  /** Temporary directory of the soak, which `close` removes. */
  readonly directory: string;
  /** Directory in which gateways and workers make their temporary files. */
  readonly temporary: string;
}

async function ofApp(name: string, pid: number, table: ProcessTable): Promise<Sample> {
  const below = descendants(table, pid);
  return {
    [`${name} MB`]: await residentMb(pid),
    [`${name} descriptors`]: await descriptorsOf(pid),
    [`${name} children`]: below.length,
    [`${name} zombies`]: below.filter((id) => table.get(id)?.zombie).length,
    [`${name} children MB`]: await proportionalMb(below),
  };
}

async function ofPostgres(backend: number, table: ProcessTable): Promise<Sample> {
  const server = table.get(backend)?.parent;
  if (server === undefined) throw new Error('Postgres does not run on this machine');
  const all = [server, ...descendants(table, server)];
  return { 'postgres MB': await proportionalMb(all), 'postgres processes': all.length };
}

async function ofDatabase(sql: Sql): Promise<Sample> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_stat_user_tables where schemaname = 'public' order by relname`;
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(name)}`;
    rows[`rows of ${name}`] = row?.count ?? 0;
  }
  const [held] = await sql<{ locks: number; idle: number; running: number; pages: number }[]>`
    select
      (select count(*)::int from pg_locks where pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())) as locks,
      (select count(*)::int from pg_stat_activity where datname = current_database()
        and state like 'idle in transaction%' and now() - state_change > interval '5 seconds') as idle,
      (select count(*)::int from operations where state = 'running') as running`;
  return {
    ...rows,
    'database locks': held?.locks ?? 0,
    'idle in transaction': held?.idle ?? 0,
    'running operations': held?.running ?? 0,
  };
}

async function ofDirectories({ cluster, temporary }: Sampled): Promise<Sample> {
  const count = async (path: string, recursive = false) => (await readdir(path, { recursive }).catch(() => [])).length;
  const repositories = (await readdir(join(cluster.storageRoot, '@repos')).catch(() => [])).map((prefix) =>
    count(join(cluster.storageRoot, '@repos', prefix)),
  );
  return {
    'directories in @repos': (await Promise.all(repositories)).reduce((sum, one) => sum + one, 0),
    'directories in @staging': await count(join(cluster.storageRoot, '@staging')),
    'directories in @trash': await count(join(cluster.storageRoot, '@trash')),
    'temporary files': await count(temporary, true),
  };
}

export async function takeSample(sampled: Sampled): Promise<Sample> {
  const { cluster, sql } = sampled;
  const [row] = await sql<{ backend: number }[]>`select pg_backend_pid() as backend`;
  const table = await readProcesses();
  const apps = [
    ...cluster.gateways.map(({ pid }, at) => [`gateway ${at + 1}`, pid] as const),
    ...cluster.workers.map(({ pid }, at) => [`worker ${at + 1}`, pid] as const),
    ['nats-server', cluster.nats.pid] as const,
  ];
  // Before the metrics are asked for, for which workers read the database.
  const database = await ofDatabase(sql);
  const figures = await Promise.all([
    ...apps.map(([name, pid]) => ofApp(name, pid, table)),
    ofPostgres(row?.backend ?? 0, table),
    ofDirectories(sampled),
    sampleSlots(cluster),
  ]);
  return Object.assign({}, database, ...figures);
}
