import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trunkline/local';
import postgres from 'postgres';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { startEcho } from './baseline/start-echo.ts';
import { isShort } from './bench-form.ts';
import { addContent, addRepositories, addUsers, type Content, type Person } from './stage-data.ts';
import type { Target, Targets } from './load/compare.ts';

/** A service with data, and the bare programs beside it on the same bus and database. */
export interface Stage extends Targets {
  readonly sql: postgres.Sql;
  readonly people: readonly Person[];
  /** Administrators, whom some methods require. */
  readonly admins: readonly Person[];
  /** Ids of repositories without bytes; the owner of the one at `index` is the person at `index` modulo their number. */
  readonly repositoryIds: readonly number[];
  readonly content: readonly Content[];
  close(): Promise<void>;
}

export const repositoryCount = isShort ? 320 : 1_000;

const env = {
  TRUNKLINE_LOG_LEVEL: 'info',
  TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST:
    'FilesController:raw,FilesController:archivefile,ChangesetController:changeset_raw',
};

/** How many people there are, and how many of them each repository has as members; all when absent. */
interface Crowd {
  readonly people?: number;
  readonly members?: number;
}

/** Starts a Postgres of its own, with the settings of `npm start`, and a gateway and a worker, which get `own` settings. */
export async function openStage(own: Readonly<Record<string, string>> = {}, crowd: Crowd = {}): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-stage-'));
  // Postgres runs as an unprivileged user when the benchmarks run as root.
  await chmod(directory, 0o755);
  const database = await startPostgres({ dataDir: join(directory, 'postgres') });
  const cluster = await startCluster({ postgresUrl: database.url, gateways: 1, workers: 1, env: { ...env, ...own } });
  const sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const { people, admins } = await addUsers(admin, crowd.people);
  const content = await addContent(admin);
  const repositoryIds = await addRepositories(sql, people, repositoryCount, crowd.members);
  const echo = await startEcho(cluster.nats.url, cluster.databaseUrl);
  const servers = { bus: cluster.nats.pid, database: database.pid };
  const service: Target = {
    baseUrl: cluster.baseUrl,
    pids: { gateway: cluster.gateways[0]?.pid ?? 0, worker: cluster.workers[0]?.pid ?? 0, ...servers },
  };
  return {
    service,
    echo: { baseUrl: echo.baseUrl, pids: { ...echo.pids, ...servers } },
    sql,
    people,
    admins,
    repositoryIds,
    content,
    async close() {
      await echo.stop();
      await sql.end();
      await cluster.stop();
      await database.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
