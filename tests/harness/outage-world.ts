import postgres from 'postgres';
import { findByteFaults } from './byte-faults.ts';
import { createClient } from './client.ts';
import { clientTools } from './client-tools.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { findInconsistencies } from './consistency.ts';
import { eventually } from './eventually.ts';
import { goesOn, startOutageLoad, type OutageLoad } from './outage-load.ts';
import { PushingClient } from './pusher.ts';
import { readReadiness } from './readiness.ts';
import { makeGitRemote } from './remotes.ts';
import { someFile } from './unique-name.ts';
import { createWebClient } from './web-client.ts';

/** A cluster whose Postgres a test stops or replaces, under calls, pages and pushes of git. */
export interface OutageWorld {
  readonly cluster: Cluster;
  /** Starts clients; each load has another prefix. */
  load(prefix: string): Promise<OutageLoad>;
  /** Returns what the gateway and the first worker say that they miss. */
  missing(): Promise<(readonly string[])[]>;
  logHas(text: string): Promise<unknown>;
  /** Waits until all goes on by itself, ends the load, and returns what is wrong or lost of what clients were told. */
  findFaults(load: OutageLoad): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts a cluster with a gateway and two workers. */
export async function startOutageWorld(postgresUrl: string): Promise<OutageWorld> {
  // What a worker did that was killed is to be taken over soon.
  const env = { TRUNKLINE_LEASE_SECONDS: '3' };
  const cluster = await startCluster({ postgresUrl, gateways: 1, workers: 2, env });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const remote = await makeGitRemote();
  await remote.commit({ [someFile]: '1' });
  await admin.result('create_repo', { repo_name: 'read', repo_type: 'git', clone_uri: remote.url });
  for (const repo_name of ['written', 'pushed']) await admin.result('create_repo', { repo_name, repo_type: 'git' });
  const url = `http://api-key:${admin.apiKey}@${new URL(cluster.baseUrl).host}/pushed`;
  const pusher = new PushingClient(clientTools.git, { name: 'pushed', urls: [url], path: remote.directory });
  const origins = [cluster.baseUrl, cluster.metricsUrls[1] ?? ''];
  const missing = async () => (await Promise.all(origins.map((one) => readReadiness(one)))).map((one) => one.missing);
  const isReady = () => eventually(missing, (found) => found.every((names) => names.length === 0));
  const pushesGoOn = async () => {
    const before = pusher.told;
    await eventually(
      async () => pusher.told,
      (told) => told > before,
    );
  };
  return {
    cluster,
    missing,
    async load(prefix) {
      await isReady();
      const visitor = createWebClient(cluster.baseUrl);
      await visitor.signIn('admin', 'secret of the first administrator');
      const load = startOutageLoad(admin, prefix, [() => visitor.get('/read/changelog'), () => pusher.act()]);
      await Promise.all([goesOn(load), pushesGoOn()]);
      return load;
    },
    logHas: (text) =>
      eventually(
        async () => (await cluster.logs()).includes(text),
        (isThere) => isThere,
      ),
    async findFaults(load) {
      await isReady();
      await Promise.all([goesOn(load), pushesGoOn()]);
      await load.stop();
      const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
      await eventually(
        () => findInconsistencies(sql, cluster.storageRoot),
        (found) => found.length === 0,
      );
      const there = new Set((await sql<{ name: string }[]>`select name from repositories`).map(({ name }) => name));
      const faults = [
        ...load.findStrange(),
        ...load.made.filter((name) => !there.has(name)).map((name) => `the created ${name} is lost`),
        ...(await pusher.findFaults(sql, cluster.storageRoots)),
        ...(await findByteFaults(sql, cluster.storageRoot, '')),
        ...(await cluster.logs()).split('\n').filter((line) => line.includes('"code":"internal"')),
      ];
      await sql.end();
      return faults;
    },
    async close() {
      await cluster.kill();
      await remote.close();
    },
  };
}
