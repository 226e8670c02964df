import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, inject } from 'vitest';
import { createClient, type Client } from '../../harness/client.ts';
import { startCluster, type Cluster } from '../../harness/cluster.ts';
import { eventually } from '../../harness/eventually.ts';
import { chosenSeed, seededRandom, type Random } from '../../harness/random.ts';
import { readReadiness } from '../../harness/readiness.ts';
import { spreadRequests } from '../../harness/spread-requests.ts';
import { toolCommand } from '../../harness/tool-command.ts';

/** Two gateways and three workers on two storages; each request goes through one of the gateways, chosen at random. */
export interface MatrixCluster {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly sql: Sql;
  readonly random: Random;
  /** A directory for clones. */
  readonly directory: string;
  /** While this file exists, git and Mercurial of the workers store nothing of a push. */
  readonly hold: string;
  /** Returns the URL of a repository behind the proxy, with this login. */
  url(name: string, login?: string): string;
  /** Creates an empty repository on one of the storages, and returns its name. */
  makeRepository(type: 'git' | 'hg', prefix: string): Promise<string>;
  /** Returns a path in the directory that does not exist yet. */
  freshPath(): string;
}

export interface MatrixOptions {
  /** Settings of the cluster. */
  readonly env?: Readonly<Record<string, string>>;
}

const heldPush = fileURLToPath(new URL('../mercurial/held_push.py', import.meta.url));

/** Writes commands that start git and Mercurial, and hold pushes; returns the settings. */
async function holdingTools(directory: string, hold: string): Promise<Record<string, string>> {
  const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
  const [git, hg] = [toolCommand('TRUNKLINE_GIT_COMMAND', 'git'), toolCommand('TRUNKLINE_HG_COMMAND', 'hg')];
  const [gitPath, hgPath] = [join(directory, 'held-git'), join(directory, 'held-hg')];
  const wait = `while [ -e ${hold} ]; do sleep 0.1; done`;
  await writeFile(gitPath, `#!/bin/sh\ncase "$*" in *index-pack*) ${wait};; esac\nexec ${quoted(git)} "$@"\n`, {
    mode: 0o755,
  });
  const load = `--config=extensions.held='${heldPush}' --config=held.hold=${hold}`;
  const serve = `case "$*" in *trunkline-serve*) exec ${quoted(hg)} ${load} "$@";; esac`;
  await writeFile(hgPath, `#!/bin/sh\n${serve}\nexec ${quoted(hg)} "$@"\n`, { mode: 0o755 });
  return {
    TRUNKLINE_GIT_COMMAND: JSON.stringify([gitPath]),
    TRUNKLINE_HG_COMMAND: JSON.stringify([hgPath]),
  };
}

/** Starts three workers: one for each storage, and one for both. */
async function startWorkers(cluster: Cluster): Promise<void> {
  const rooted = Object.entries(cluster.storageRoots).map(([name, root]) => `${name}=${root}`);
  const [first = '', second = ''] = rooted;
  await cluster.startWorker({ TRUNKLINE_STORAGES: rooted.join(',') });
  await Promise.all(
    [first, second].map((one) => cluster.startWorker({ TRUNKLINE_STORAGES: one, TRUNKLINE_STORAGE_CREATE: '' })),
  );
  for (const url of cluster.baseUrls) {
    // A gateway reads the list of storages again after some seconds.
    await eventually(
      () => readReadiness(url),
      ({ missing, unserved }) => missing.length === 0 && unserved?.length === 0,
      120,
    );
  }
}

async function openMatrixCluster({ env = {} }: MatrixOptions): Promise<MatrixCluster & { close(): Promise<void> }> {
  const seed = chosenSeed();
  console.log(`requests are spread with the seed ${seed}`);
  const random = seededRandom(seed, 0);
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-matrix-'));
  const hold = join(directory, 'hold');
  const held = await holdingTools(directory, hold);
  const cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 2,
    workers: 0,
    storages: ['second'],
    env: { ...held, ...env },
  });
  await startWorkers(cluster);
  const [one = '', ...others] = cluster.baseUrls;
  const spreader = await spreadRequests([one, ...others], random);
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  const { host } = new URL(spreader.url);
  let made = 0;
  return {
    cluster,
    admin,
    sql,
    random,
    directory,
    hold,
    url: (name, login = `api-key:${admin.apiKey}`) => `http://${login === '' ? '' : `${login}@`}${host}/${name}`,
    async makeRepository(type, prefix) {
      made += 1;
      const name = `${prefix}-${made}`;
      await admin.result('create_repo', {
        repo_name: name,
        repo_type: type,
        storage: random.pick(['default', 'second']),
      });
      return name;
    },
    freshPath() {
      made += 1;
      return join(directory, `path-${made}`);
    },
    async close() {
      await sql.end();
      await spreader.close();
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Starts the cluster before the tests of a file; the returned function gives it. */
export function useMatrixCluster(options: MatrixOptions = {}): () => MatrixCluster {
  let opened: Awaited<ReturnType<typeof openMatrixCluster>> | undefined;
  beforeAll(async () => {
    opened = await openMatrixCluster(options);
  }, 180_000);
  afterAll(() => opened?.close());
  return () => {
    if (!opened) throw new Error('the cluster has not been started');
    return opened;
  };
}
