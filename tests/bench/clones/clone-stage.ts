import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '../../harness/client.ts';
import { startCluster, type Cluster } from '../../harness/cluster.ts';
import { cpuMsOf, readProcesses } from '../../harness/process-figures.ts';
import { hg } from '../../harness/remotes.ts';
import { startHgweb, startHttpBackend, type Floor } from './floors.ts';
import { addBranches, historyLength, plantHistory } from './plant-history.ts';

export type System = 'git' | 'hg';
export const kinds = ['service', 'floor'] as const;
export type Kind = (typeof kinds)[number];
export const floorNames = { git: 'git http-backend', hg: 'hgweb' } as const;

/** One server of a repository, with a login where it asks for one. */
export interface Address {
  readonly url: string;
  readonly apiKey: string | null;
}

/** The service with a history of one system, and a server of the tool itself with the same. */
export interface CloneStage {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly directory: string;
  /** The git repository that the floor serves, or that was converted. */
  readonly bare: string;
  /** Newest changeset of the history. */
  readonly tip: string;
  /** Copies the history to a repository that nobody has asked for yet; returns its name. */
  freshRepository(): Promise<string>;
  address(kind: Kind, name: string, apiKey?: string): Address;
  /** CPU milliseconds of one side until now, with all children. */
  cpuMs(kind: Kind): Promise<number>;
  /** Creates so many users; returns their keys. */
  makeKeys(count: number): Promise<[string, ...string[]]>;
  close(): Promise<void>;
}

interface StageOptions {
  readonly commits?: number;
  readonly manyBranches?: boolean;
}

async function plant(
  system: System,
  directory: string,
  { commits = historyLength, manyBranches = false }: StageOptions,
) {
  const bare = join(directory, 'cloned.git');
  const commit = await plantHistory(bare, commits);
  if (manyBranches) await addBranches(bare, commit);
  if (system === 'git') return { bare, tip: commit, floor: await startHttpBackend(directory) };
  const path = join(directory, 'cloned-hg');
  await hg(directory, '--config', 'extensions.convert=', 'convert', '-q', bare, path);
  return { bare, tip: (await hg(path, 'log', '-r', 'tip', '-T', '{node}')).trim(), floor: await startHgweb(path) };
}

const floorUrl = (system: System, { port }: Floor) =>
  `http://127.0.0.1:${port}/${system === 'git' ? 'cloned.git' : ''}`;

export async function openCloneStage(
  postgresUrl: string,
  system: System,
  options: StageOptions = {},
): Promise<CloneStage> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-clone-bench-'));
  const { bare, tip, floor } = await plant(system, directory, options);
  const env = { TRUNKLINE_FORK_WAIT: '25' };
  const cluster = await startCluster({ postgresUrl, gateways: 1, workers: 1, env });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_repo', { repo_name: 'history', repo_type: system, clone_uri: floorUrl(system, floor) });
  let [made, users] = [0, 0];
  const makeKey = async () => {
    users += 1;
    const username = `cloner-${users}`;
    await admin.result('create_user', { username, email: `${username}@example.com` });
    return (await admin.result<{ api_key: string }>('get_user', { userid: username })).api_key;
  };
  return {
    cluster,
    admin,
    directory,
    bare,
    tip,
    async freshRepository() {
      made += 1;
      await admin.result('fork_repo', { repoid: 'history', fork_name: `fresh-${made}` });
      return `fresh-${made}`;
    },
    address: (kind, name, apiKey = admin.apiKey) =>
      kind === 'service'
        ? { url: `${cluster.baseUrl}/${name}`, apiKey }
        : { url: floorUrl(system, floor).replace(/\/$/, ''), apiKey: null },
    async cpuMs(kind) {
      const table = await readProcesses();
      const { gateways, workers, nats } = cluster;
      const service = [...gateways, ...workers, nats].map(({ pid }) => pid);
      return (kind === 'floor' ? [floor.pid] : service).reduce((sum, pid) => sum + cpuMsOf(table, pid), 0);
    },
    async makeKeys(count) {
      const others = Array.from({ length: count - 1 }, makeKey);
      return [await makeKey(), ...(await Promise.all(others))];
    },
    async close() {
      await floor.stop();
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
