import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { guardedCommand } from '../process/guarded-spawn.ts';
import type { SystemUser } from '../process/system-users.ts';
import { StartError } from '../start-error.ts';
import { timed } from '../timed.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';

const run = promisify(execFile);

export const superuser = 'trunkline';

interface ClusterOptions {
  readonly clusterDir: string;
  readonly binaries: PostgresBinaries;
  readonly password: string;
  readonly user: SystemUser | null;
  /** Whether the data may be lost in a crash of the machine. */
  readonly throwaway: boolean;
}

function requireUsable({ clusterDir, binaries, user }: ClusterOptions): void {
  const dataVersion = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim();
  if (dataVersion !== binaries.major) {
    throw new StartError(
      `${clusterDir} was created by Postgres ${dataVersion} and this is Postgres ${binaries.major}: ` +
        `dump it with Postgres ${dataVersion}, or choose another TRUNKLINE_DATA_DIR`,
    );
  }
  const owner = statSync(clusterDir).uid;
  if (owner !== (user?.uid ?? process.geteuid?.())) {
    throw new StartError(`${clusterDir} belongs to user id ${owner}: start as that user`);
  }
}

/** Creates a cluster that requires the password; a directory named `clusterDir` always has a complete cluster. */
export async function prepareCluster(options: ClusterOptions): Promise<void> {
  const { clusterDir, binaries, password, user, throwaway } = options;
  if (existsSync(join(clusterDir, 'PG_VERSION'))) return requireUsable(options);

  const unfinished = `${clusterDir}.new`;
  const passwordFile = `${clusterDir}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  try {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (user !== null) for (const path of [unfinished, passwordFile]) chownSync(path, user.uid, user.gid);
    const cluster = [
      '-D',
      unfinished,
      '-U',
      superuser,
      `--pwfile=${passwordFile}`,
      ...(throwaway ? ['--no-sync'] : []),
    ];
    const settings = [...cluster, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C'];
    const { command, args } = guardedCommand(binaries.initdb, settings, { signal: 'SIGKILL', user });
    await timed('Creating the files of Postgres', () => run(command, args, { cwd: '/', env: {} }));
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new StartError(`Postgres cannot create ${clusterDir}: ${said.split('\n').at(-1)}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(unfinished, clusterDir);
}

/**
 * Waits up to 15 s for the server of a killed stack, which the kernel has signalled (see `Guard`), to end; Postgres
 * refuses to start beside one that still runs. When the process that the pid file names is another program, without
 * this directory in its command line, the file is removed: ids are soon reused in a container, and Postgres would treat
 * that program as a running server. A file whose process has ended is left to Postgres.
 */
export async function clearFormerServer(clusterDir: string): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid');
  for (const deadline = Date.now() + 15_000; existsSync(pidFile) && Date.now() < deadline; await sleep(20)) {
    const pid = readFileSync(pidFile, 'utf8').split('\n')[0] ?? '';
    const commandFile = `/proc/${pid}/cmdline`;
    if (!existsSync('/proc/self/cmdline') || !existsSync(commandFile)) return;
    if (!readFileSync(commandFile, 'utf8').includes(clusterDir)) return rmSync(pidFile, { force: true });
  }
}
