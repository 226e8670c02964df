import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startCluster } from '../../harness/cluster.ts';
import type { Sampled } from './take-sample.ts';

export const soakMinutes = Number(process.env['TRUNKLINE_TEST_SOAK_MINUTES'] ?? 0);

/** Settings with which anybody may read the pages and files of repositories. */
export const publicPages = {
  TRUNKLINE_ANONYMOUS_VIEWING: 'true',
  TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST:
    'FilesController:raw,FilesController:index,FilesController:archivefile,ChangesetController:changeset_raw,' +
    'ChangesetController:index,ChangelogController:index',
};

export interface SoakCluster extends Sampled {
  close(): Promise<void>;
}

/** Starts two gateways and two workers whose temporary files can be counted. */
export async function startSoakCluster(postgresUrl: string, own: Record<string, string>): Promise<SoakCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-soak-'));
  const temporary = join(directory, 'tmp');
  await mkdir(temporary);
  const env = {
    TMPDIR: temporary,
    TRUNKLINE_TRASH_DAYS: '0',
    TRUNKLINE_LEASE_SECONDS: '6',
    TRUNKLINE_TRUSTED_PROXIES: '127.0.0.0/8',
    TRUNKLINE_COMMAND_NICE: '10',
    // A larger cache fills so slowly that it looks like a leak.
    TRUNKLINE_NODE_CACHE_BYTES: '4194304',
    TRUNKLINE_CACHE_BYTES: '4194304',
    NODE_OPTIONS: `--import ${new URL('collect-on-signal.mjs', import.meta.url).href}`,
    ...own,
  };
  const cluster = await startCluster({ postgresUrl, gateways: 2, workers: 2, env });
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  return {
    cluster,
    sql,
    temporary,
    directory,
    async close() {
      await sql.end();
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
