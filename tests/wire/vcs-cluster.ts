import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterAll, beforeAll, inject } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { runClient, type ClientOutcome } from './run-client.ts';

const Ready = v.object({ metricsPort: v.number() });

/** Bytes of the files with answers of one worker. */
export const cacheBytes = 64 * 1024 * 1024;

export const storageNames = ['default', 'second'] as const;

/** A cluster with two storages, each with a worker of its own, and two gateways. */
export interface VcsCluster {
  readonly cluster: Cluster;
  readonly admin: Client;
  /** Workers by the name of their storage. */
  readonly workers: Readonly<Record<string, Awaited<ReturnType<Cluster['startWorker']>>>>;
  /** Returns the bytes that the data port of a storage's worker has received or sent. */
  bytesMoved(storage: string, direction: 'in' | 'out'): Promise<number>;
  /** Returns one series of the metrics of a storage's worker. */
  metric(storage: string, series: string): Promise<number>;
  /** Returns how many processes workers have started for requests that read: `upload-pack`, and forks of Mercurial. */
  processesStarted(): Promise<number>;
  /** Directory of the files with answers of all workers. */
  readonly cacheDirectory: string;
  /** A directory for clones. */
  readonly directory: string;
  /** While this file exists, git gives the beginning of a pack alone, and Mercurial that of a bundle. */
  readonly hold: string;
  /** While this file exists, git cannot list the history of a repository. */
  readonly blind: string;
  /** While this file exists, git packs no repository. */
  readonly holdRepack: string;
  /** Path of the script that starts git for workers. */
  readonly heldGit: string;
  /** Returns the URL of a repository at one of the gateways, with this login. */
  url(path: string, login?: string, gateway?: number): string;
}

/**
 * Returns a script that starts git. While the file `hold` exists, `upload-pack` gives the beginning of a pack; while the
 * file `holdRepack` exists, `repack` does not begin; and while `blind` exists, a walk of the branches fails.
 */
function heldScript({
  hold,
  holdRepack,
  blind,
  started,
}: Readonly<Record<'hold' | 'holdRepack' | 'blind' | 'started', string>>): string {
  const words = toolCommand('TRUNKLINE_GIT_COMMAND', 'git').join(' ');
  const wait = `while [ -e ${hold} ]; do sleep 0.1; done`;
  // Only what asks for a pack is held: a client asks for references before.
  const held = `request=$(mktemp ${hold}.XXXXXX); cat > $request; if grep -aq command=fetch $request; then
    ${words} "$@" < $request | { head -c 300000; ${wait}; cat; }; else ${words} "$@" < $request; fi; exit`;
  const upload = `echo git >> ${started}; if [ -e ${hold} ]; then ${held}; fi`;
  const repack = `case "$2" in repack) while [ -e ${holdRepack} ]; do sleep 0.1; done;; esac`;
  const walk = `case " $* " in *" rev-list "*"--branches "*) [ ! -e ${blind} ] || exit 128;; esac`;
  return `#!/bin/sh\n${repack}\n${walk}\ncase "$1" in upload-pack) ${upload};; esac\nexec ${words} "$@"\n`;
}

const heldBundle = fileURLToPath(new URL('mercurial/held_bundle.py', import.meta.url));

/** Returns a script that starts Mercurial, with an extension where it serves clients. */
function heldHgScript({ hold, started }: Readonly<Record<'hold' | 'started', string>>): string {
  const words = toolCommand('TRUNKLINE_HG_COMMAND', 'hg').join(' ');
  const load = `--config=extensions.held='${heldBundle}' --config=held.hold=${hold} --config=held.started=${started}`;
  return `#!/bin/sh\ncase "$*" in *trunkline-serve*) exec ${words} ${load} "$@";; esac\nexec ${words} "$@"\n`;
}

/** Settings of the workers of single storages. */
type OwnSettings = Readonly<Partial<Record<(typeof storageNames)[number], Record<string, string>>>>;

async function openVcsCluster(own: OwnSettings): Promise<VcsCluster> {
  const postgresUrl = inject('postgresUrl');
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-clones-'));
  const [hold, heldGit, started] = [join(directory, 'hold'), join(directory, 'git'), join(directory, 'started')];
  const cacheDirectory = join(directory, 'answers');
  await mkdir(cacheDirectory);
  await writeFile(started, '');
  const holdRepack = join(directory, 'hold-repack');
  const blind = join(directory, 'blind');
  await writeFile(heldGit, heldScript({ hold, holdRepack, blind, started }), { mode: 0o755 });
  const heldHg = join(directory, 'hg');
  await writeFile(heldHg, heldHgScript({ hold, started }), { mode: 0o755 });
  const env = {
    TRUNKLINE_GIT_COMMAND: JSON.stringify([heldGit]),
    TRUNKLINE_HG_COMMAND: JSON.stringify([heldHg]),
    // Tests do not depend on the free space of their machine.
    TRUNKLINE_WIRE_CACHE_BYTES: String(cacheBytes),
    TRUNKLINE_WIRE_CACHE_DIR: cacheDirectory,
  };
  const cluster = await startCluster({ postgresUrl, gateways: 2, workers: 0, storages: ['second'], env });
  const startWorkerOf = (name: (typeof storageNames)[number]) =>
    cluster.startWorker({
      ...own[name],
      TRUNKLINE_STORAGES: `${name}=${cluster.storageRoots[name]}`,
      TRUNKLINE_STORAGE_CREATE: name === 'second' ? name : '',
    });
  const workers = { default: await startWorkerOf('default'), second: await startWorkerOf('second') };
  for (const url of cluster.baseUrls) {
    // A gateway reads the list of storages again after some seconds.
    await eventually(
      () => readReadiness(url),
      ({ missing, unserved }) => missing.length === 0 && unserved?.length === 0,
    );
  }
  const metric = async (storage: string, series: string) => {
    const { metricsPort } = v.parse(Ready, Object.entries(workers).find(([name]) => name === storage)?.[1].ready);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length),
    );
  };
  return {
    cluster,
    admin: createClient(cluster.baseUrl, cluster.adminKey),
    workers,
    metric,
    bytesMoved: (storage, direction) => metric(storage, `trunkline_data_bytes_total{direction="${direction}"}`),
    processesStarted: async () => (await readFile(started, 'utf8')).split('\n').length - 1,
    cacheDirectory,
    directory,
    hold,
    holdRepack,
    blind,
    heldGit,
    url(path, login = '', gateway = 0) {
      const { host } = new URL(cluster.baseUrls[gateway] ?? '');
      return `http://${login === '' ? '' : `${login}@`}${host}/${path}`;
    },
  };
}

/** Starts the cluster before the tests of a file; the returned function gives it. */
export function useVcsCluster(own: OwnSettings = {}): () => VcsCluster {
  let opened: VcsCluster | undefined;
  beforeAll(async () => {
    opened = await openVcsCluster(own);
  }, 120_000);
  afterAll(async () => {
    await opened?.cluster.stop();
    await rm(opened?.directory ?? '', { recursive: true, force: true });
  });
  return () => {
    if (!opened) throw new Error('the cluster has not been started');
    return opened;
  };
}

/** Runs a git client, without settings of the system or a user, and without asking for a login. */
export function runGit(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ClientOutcome> {
  return runClient([...toolCommand('TRUNKLINE_GIT_COMMAND', 'git'), ...args], cwd, env);
}

/** Runs a Mercurial client, without settings of the system or a user, and without asking for a login. */
export function runHg(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ClientOutcome> {
  const plain = ['--config=ui.interactive=False', '--config=ui.username=Ann <ann@example.com>'];
  return runClient([...toolCommand('TRUNKLINE_HG_COMMAND', 'hg'), ...plain, ...args], cwd, env);
}

function succeeding(run: typeof runGit) {
  return async (cwd: string, ...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await run(cwd, args);
    if (exitCode !== 0) throw new Error(`${args[0]} ended with ${exitCode}: ${stderr}`);
    return stdout;
  };
}

/** Run a client that has to succeed; return what it has printed. */
export const git = succeeding(runGit);
export const hg = succeeding(runHg);
