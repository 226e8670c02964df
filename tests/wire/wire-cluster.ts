import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, inject } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';
import { toolCommand } from '../harness/tool-command.ts';

const Ready = v.object({ metricsPort: v.number() });

export const storageNames = ['default', 'second'] as const;

/** A cluster with two storages, each with a worker of its own, and two gateways. */
export interface WireCluster {
  readonly cluster: Cluster;
  readonly admin: Client;
  /** Workers by the name of their storage. */
  readonly workers: Readonly<Record<string, Awaited<ReturnType<Cluster['startWorker']>>>>;
  /** Returns the bytes that the data port of a storage's worker has received. */
  bytesReceived(storage: string): Promise<number>;
  /** A directory for clones. */
  readonly directory: string;
  /** While this file exists, git gives the beginning of a pack alone. */
  readonly hold: string;
  /** Path of the script that starts git for workers. */
  readonly heldGit: string;
  /** Returns the URL of a repository at one of the gateways, with this login. */
  url(path: string, login?: string, gateway?: number): string;
}

/** Returns a script that starts git. While the file `hold` exists, `upload-pack` gives the beginning of its answer. */
function heldScript(hold: string): string {
  const words = toolCommand('TRUNKLINE_GIT_COMMAND', 'git').join(' ');
  const wait = `while [ -e ${hold} ]; do sleep 0.1; done`;
  const held = `${words} "$@" | { head -c 300000; ${wait}; cat; }; exit`;
  return `#!/bin/sh\ncase "$1" in upload-pack) if [ -e ${hold} ]; then ${held}; fi;; esac\nexec ${words} "$@"\n`;
}

async function openWireCluster(): Promise<WireCluster> {
  const postgresUrl = inject('postgresUrl');
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-clones-'));
  const [hold, heldGit] = [join(directory, 'hold'), join(directory, 'git')];
  await writeFile(heldGit, heldScript(hold), { mode: 0o755 });
  const env = { TRUNKLINE_GIT_COMMAND: JSON.stringify([heldGit]) };
  const cluster = await startCluster({ postgresUrl, gateways: 2, workers: 0, storages: ['second'], env });
  const startWorkerOf = (name: string) =>
    cluster.startWorker({
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
  return {
    cluster,
    admin: createClient(cluster.baseUrl, cluster.adminKey),
    workers,
    async bytesReceived(storage) {
      const { metricsPort } = v.parse(Ready, Object.entries(workers).find(([name]) => name === storage)?.[1].ready);
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return Number(/^trunkline_data_bytes_total\{direction="in"\} (\d+)$/m.exec(metrics)?.[1]);
    },
    directory,
    hold,
    heldGit,
    url(path, login = '', gateway = 0) {
      const { host } = new URL(cluster.baseUrls[gateway] ?? '');
      return `http://${login === '' ? '' : `${login}@`}${host}/${path}`;
    },
  };
}

/** Starts the cluster before the tests of a file; the returned function gives it. */
export function useWireCluster(): () => WireCluster {
  let opened: WireCluster | undefined;
  beforeAll(async () => {
    opened = await openWireCluster();
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

export interface GitOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a git client, without settings of the system or a user, and without asking for a login. */
export function runGit(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<GitOutcome> {
  const [file, ...prefix] = toolCommand('TRUNKLINE_GIT_COMMAND', 'git');
  const plain = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C.UTF-8',
  };
  return new Promise((resolve) => {
    const options = { cwd, env: { ...plain, ...env }, maxBuffer: 1 << 28 };
    execFile(file, [...prefix, ...args], options, (error, stdout, stderr) => {
      const exitCode = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/** Runs a git client that has to succeed; returns what it has printed. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit(cwd, args);
  if (exitCode !== 0) throw new Error(`git ${args[0]} ended with ${exitCode}: ${stderr}`);
  return stdout;
}
