import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVcs, type VcsOptions } from '../create-vcs.ts';
import { startEgressGuard, type EgressGuardOptions } from '../egress/egress-guard.ts';
import { lookupAddresses } from '../egress/lookup-addresses.ts';
import { parseRemote } from '../remote/parse-remote.ts';
import { gitBackend, serve, startHg, type Served } from './serve.ts';
import { git, gitCommand, hg, hgCommand } from './tools.ts';

interface Closable {
  close(): Promise<void> | void;
}

export interface Workbench {
  readonly directory: string;
  readonly backends: Awaited<ReturnType<typeof createVcs>>['backends'];
  /** Another worker's back ends, with other limits. */
  open(options: Partial<VcsOptions> & Partial<EgressGuardOptions>): Promise<Workbench['backends']>;
  /** A path that nothing is at. */
  freshPath(): string;
  /** Something to be closed at the end. */
  own<T extends Closable>(closable: T): T;
  close(): Promise<void>;
}

/** Back ends over real tools in a directory of its own, with a guard that lets loopback through. */
export async function openWorkbench(): Promise<Workbench> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-vcs-'));
  const owned: Closable[] = [];
  let paths = 0;
  const own = <T extends Closable>(closable: T): T => {
    owned.push(closable);
    return closable;
  };
  const freshPath = () => join(directory, String((paths += 1)));
  const open: Workbench['open'] = async ({ allowedRemotes = ['127.0.0.0/8'], lookup = lookupAddresses, ...limits }) => {
    const egress = own(await startEgressGuard({ allowedRemotes, lookup }));
    const runtimeDir = freshPath();
    await mkdir(runtimeDir);
    const vcs = await createVcs({
      gitCommand,
      hgCommand,
      bzip2Command: ['bzip2'],
      runtimeDir,
      egress,
      sshDir: null,
      fetchTimeoutMs: 30_000,
      checkTimeoutMs: 15_000,
      commandTimeoutMs: 10_000,
      hgServers: 2,
      importBytesMax: 1e9,
      ...limits,
    });
    return own(vcs).backends;
  };
  return {
    directory,
    backends: await open({}),
    open,
    freshPath,
    own,
    async close() {
      for (const closable of owned.toReversed()) await closable.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export interface SourceRepository extends Served {
  /** A work tree to commit in. */
  readonly directory: string;
}

/** An empty repository and the url it is served at. */
export async function makeSource(bench: Workbench, type: 'hg' | 'git'): Promise<SourceRepository> {
  const directory = bench.freshPath();
  await mkdir(directory);
  if (type === 'git') {
    await git(directory, 'init', '-q', '-b', 'main', '.');
    const served = bench.own(await serve(gitBackend(directory)));
    return { ...served, directory, url: `${served.url}/.git` };
  }
  await hg(directory, 'init', '.');
  const { forward } = bench.own(await startHg(directory));
  return { ...bench.own(await serve(forward)), directory };
}

export function remoteOf(type: 'hg' | 'git', url: string) {
  return parseRemote(type, url, { sshEnabled: true });
}

export const never: AbortSignal = new AbortController().signal;
