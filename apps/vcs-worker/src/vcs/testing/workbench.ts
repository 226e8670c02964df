import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GenerationCache } from '../../cache/generation-cache.ts';
import { createVcs, type VcsOptions } from '../create-vcs.ts';
import { lookupAddresses } from '../egress/dial.ts';
import { startEgressGuard, type EgressGuardOptions } from '../egress/egress-guard.ts';
import { parseRemote } from '../remote/parse-remote.ts';
import { gitHttpBackend, serve, startHg, type Served } from './serve.ts';
import { git, gitCommand, hg, hgCommand } from './tools.ts';

interface Closable {
  close(): Promise<void> | void;
}

type Options = Partial<VcsOptions> & Partial<EgressGuardOptions>;

export interface Workbench {
  readonly directory: string;
  readonly backends: Awaited<ReturnType<typeof createVcs>>['backends'];
  /** Creates the back ends of another worker, with other limits. */
  open(options: Options): Promise<Workbench['backends']>;
  /** Creates all of another worker that reaches repositories. */
  openVcs(options: Options): Promise<Awaited<ReturnType<typeof createVcs>>>;
  /** Returns a path at which no file exists. */
  freshPath(): string;
  /** Registers an object that `close` closes, and returns the object. */
  closeLater<T extends Closable>(closable: T): T;
  close(): Promise<void>;
}

/** Opens back ends over the real tools, in a temporary directory, with an egress guard that allows loopback. */
export async function openWorkbench(): Promise<Workbench> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-vcs-'));
  const closables: Closable[] = [];
  let pathCount = 0;
  const closeLater = <T extends Closable>(closable: T): T => {
    closables.push(closable);
    return closable;
  };
  const freshPath = () => join(directory, String((pathCount += 1)));
  const openVcs: Workbench['openVcs'] = async ({
    allowedRemotes = ['127.0.0.0/8'],
    lookup = lookupAddresses,
    rateLimit = { bytesPerSecondMin: 0, windowMs: 60_000 },
    ...options
  }) => {
    const egress = closeLater(await startEgressGuard({ allowedRemotes, lookup, rateLimit }));
    const runtimeDir = freshPath();
    await mkdir(runtimeDir);
    const vcs = await createVcs({
      gitCommand,
      hgCommand,
      bzip2Command: ['bzip2'],
      runtimeDir,
      egress,
      cache: new GenerationCache(256 * 1024 * 1024),
      sshDir: null,
      fetchTimeoutMs: 30_000,
      checkTimeoutMs: 15_000,
      commandTimeoutMs: 10_000,
      hgServers: 2,
      importBytesMax: 1e9,
      pushBytesMax: 1e9,
      ...options,
    });
    return closeLater(vcs);
  };
  const open: Workbench['open'] = async (options) => (await openVcs(options)).backends;
  return {
    directory,
    backends: await open({}),
    open,
    openVcs,
    freshPath,
    closeLater,
    async close() {
      for (const closable of closables.toReversed()) await closable.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export interface SourceRepository extends Served {
  /** Path of the work tree to commit in. */
  readonly directory: string;
}

/**
 * Makes an empty repository and serves it over HTTP on loopback. Each git URL ends in `/.git`, since the source has a
 * work tree.
 */
export async function makeSource(bench: Workbench, type: 'hg' | 'git'): Promise<SourceRepository> {
  const directory = bench.freshPath();
  await mkdir(directory);
  if (type === 'git') {
    await git(directory, 'init', '-q', '-b', 'main', '.');
    const served = bench.closeLater(await serve(gitHttpBackend(directory)));
    return { ...served, directory, url: `${served.url}/.git` };
  }
  await hg(directory, 'init', '.');
  const { forwardToHg } = bench.closeLater(await startHg(directory));
  return { ...bench.closeLater(await serve(forwardToHg)), directory };
}

export function remoteOf(type: 'hg' | 'git', url: string) {
  return parseRemote(type, url, { sshEnabled: true });
}

export const neverAborted: AbortSignal = new AbortController().signal;
