import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { createClient } from './client.ts';
import { startCluster } from './cluster.ts';
import { findInconsistencies } from './consistency.ts';
import { eventually } from './eventually.ts';

export interface RescanOutcome {
  readonly added: string[];
  readonly removed: string[];
}

export const nothing: RescanOutcome = { added: [], removed: [] };

export type RescanBench = Awaited<ReturnType<typeof openRescanBench>>;

/** Starts a cluster whose storage a test may fill by hand. */
export async function openRescanBench(postgresUrl: string) {
  const cluster = await startCluster({ postgresUrl, gateways: 1, workers: 2 });
  const { storageRoot } = cluster;
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  const at = (...path: string[]) => join(storageRoot, ...path);
  return {
    cluster,
    admin,
    sql,
    at,
    rescan: (args: Record<string, unknown> = {}) => admin.result<RescanOutcome>('rescan_repos', args),
    async names() {
      return (await admin.result<{ repo_name: string }[]>('get_repos')).map(({ repo_name: name }) => name);
    },
    nodesOf: (repoid: string) => admin.result('get_repo_nodes', { repoid, revision: 'tip', root_path: '/' }),
    /** Returns the path of the repository of this name. */
    async pathOf(name: string) {
      const [row] = await sql`select storage_path from repositories where name = ${name}`;
      return at(String(row?.['storage_path']));
    },
    /** Returns from the log why a rescan skipped a directory; waits, because the log is written after the answer. */
    async reasonFor(path: string): Promise<string> {
      const named = `"path":${JSON.stringify(path)}`;
      const look = async () => {
        const lines = (await cluster.logs()).split('\n');
        return lines.find((line) => line.includes(named) && line.endsWith('}')) ?? '';
      };
      const entry = await eventually(look, (line) => line !== '');
      return String((JSON.parse(entry) as { reason?: string }).reason);
    },
    /** Deletes all repositories for the next test; throws when this test left database or storage inconsistent. */
    async empty() {
      const wrong = await findInconsistencies(sql, storageRoot);
      if (wrong.length > 0) throw new Error(`left behind: ${wrong.join(', ')}`);
      await sql`truncate operations, repositories, deleted_repositories, repo_groups, names cascade`;
      for (const name of await readdir(storageRoot)) {
        if (name !== '.trunkline-storage') await rm(at(name), { recursive: true });
      }
      for (const name of ['@repos', '@staging', '@trash', '@locks']) await mkdir(at(name));
    },
    async close() {
      await sql.end();
      await cluster.stop();
    },
  };
}
