import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { createClient } from '../client.ts';
import { clientTools } from '../client-tools.ts';
import type { Cluster } from '../cluster.ts';
import { initRepository } from '../local-repository.ts';

/** Pause between two rounds, so that the load leaves the cores to those who measure it. */
const pauseMs = 50;

export interface MixedLoad {
  /** Throws what has ended the load. */
  requireRunning(): void;
  stop(): Promise<void>;
}

/** Puts a repository on a storage that no worker serves. */
async function loseWorkers(databaseUrl: string, name: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const id = randomUUID();
  await sql`insert into storages (id, name, state) values (${id}, 'absent', 'read-only')`;
  await sql`update repositories set storage_id = ${id} where name = ${name}`;
  await sql.end();
}

/**
 * Calls methods of all lanes, pages, pushes and clones, and makes errors: of arguments, of keys, of missing objects, of
 * a remote that does not answer, of a storage without workers, and of a gateway that limits the rate.
 */
export async function startMixedLoad(cluster: Cluster, limitedUrl: string): Promise<MixedLoad> {
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const limited = createClient(limitedUrl, cluster.adminKey);
  const stranger = createClient(cluster.baseUrl, 'f'.repeat(40));
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-load-'));
  const { git } = clientTools;
  const url = `${cluster.baseUrl.replace('://', `://api-key:${cluster.adminKey}@`)}/monitored/git`;
  const work = join(directory, 'work');

  await admin.result('create_repo', { repo_name: 'monitored/git', repo_type: 'git', storage: 'default' });
  await admin.result('create_repo', { repo_name: 'monitored/hg', repo_type: 'hg', storage: 'default' });
  await admin.result('create_repo', { repo_name: 'monitored/away', repo_type: 'git', storage: 'default' });
  await loseWorkers(cluster.databaseUrl, 'monitored/away');
  await admin.result('create_repo', { repo_name: 'monitored/pulled', repo_type: 'git', storage: 'default' });
  await admin.result('update_repo', { repoid: 'monitored/pulled', clone_uri: 'http://127.0.0.1:1/x' });
  await initRepository(work, 'git');

  const round = async (at: number) => {
    const id = await git.commit(work, at);
    await git.push(work, url, id);
    await git.clone(url, join(directory, `clone-${at}`));
    await rm(join(directory, `clone-${at}`), { recursive: true });
    const nodes = { repoid: 'monitored/git', revision: 'tip', root_path: '/', ret_type: 'all' };
    await Promise.all([
      admin.call('get_repos'),
      admin.call('get_repo', { repoid: 'monitored/hg' }),
      admin.call('get_repo_nodes', nodes),
      admin.call('get_repo_nodes', { ...nodes, repoid: 'monitored/away' }),
      admin.call('get_repo', {}),
      admin.call('no_such_method'),
      admin.call('update_repo', { repoid: 'nothing', description: 'x' }),
      admin.call('pull', { repoid: 'monitored/pulled' }),
      admin.call('update_repo', { repoid: 'monitored/hg', description: String(at) }),
      stranger.call('get_repos'),
      limited.call('get_ip'),
      limited.call('get_ip'),
      fetch(`${cluster.baseUrl}/`),
      fetch(`${cluster.baseUrl}/monitored/git/raw/tip/file?api_key=${cluster.adminKey}`),
    ]);
  };

  const stopping = new AbortController();
  const run = async () => {
    for (let at = 0; !stopping.signal.aborted; at += 1) {
      await round(at);
      await wait(pauseMs);
    }
  };
  let failure: unknown;
  const ended = run().catch((error: unknown) => (failure = error));
  return {
    requireRunning() {
      if (failure !== undefined) throw failure;
    },
    async stop() {
      stopping.abort();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
