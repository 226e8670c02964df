import { type ParseProgress, progressReader, type Report, toProgress } from '../progress.ts';
import type { EgressGuard, EgressSession } from '../egress/egress-guard.ts';
import { toTarget } from '../egress/target.ts';
import { scopeOfOperation } from '../process/call-scope.ts';
import { childEnvironment, fetchEnvironment } from '../process/child-environment.ts';
import { type CommandLimits, dieWithParentCommand, type LimitsByWork } from '../process/command-limits.ts';
import { memoryBudget } from '../process/memory-budget.ts';
import { quoted, type RuntimeFiles } from '../process/runtime-files.ts';
import type { Remote } from '../remote/parse-remote.ts';
import { RemoteError, toolError } from '../remote/remote-error.ts';
import { VcsError } from '../vcs-error.ts';
import { CommandServer, type HgResult } from './command-server.ts';

interface Options {
  readonly argv: readonly string[];
  readonly limits: CommandLimits;
  readonly timeoutMs: number;
}

/** Runs a command; `onStderr` receives what it reports. */
export type RunAlone = (
  args: readonly string[],
  signal: AbortSignal,
  onStderr?: (text: string) => void,
) => Promise<HgResult>;

/** Runs commands that may take long in servers of their own, since those of the pool are for short ones. */
export function createRunAlone({ argv, limits, timeoutMs }: Options): RunAlone {
  const env = childEnvironment();
  return async (args, signal, onStderr) => {
    await memoryBudget.waitForMemory(scopeOfOperation.memoryWaitMs, signal);
    const server = new CommandServer(dieWithParentCommand(argv, limits), env);
    try {
      return await server.run(args, { timeoutMs, signal, stdoutBytesMax: 1 << 20, onStderr });
    } finally {
      server.kill();
      await server.ended;
    }
  };
}

/** Mercurial's topic and unit of each step of a fetch or a copy, with Trunkline's phase and unit for the step. */
const progressSteps: Readonly<Record<string, readonly [phase: string, unit: string]>> = {
  'changesets chunks': ['receiving changesets', 'changesets'],
  'manifests chunks': ['receiving manifests', 'manifests'],
  'files files': ['receiving files', 'files'],
  'clone bytes': ['receiving data', 'bytes'],
  'linking files': ['linking files', 'files'],
  'copying files': ['copying files', 'files'],
};

const progressLine = /^([a-z]{1,20}) {1,15}(\d{1,15})(?:\/(\d{1,15}))? ([a-z]{1,20})$/;

/** Options that make a command print its progress to a pipe, too, without names of files, which the remote chooses. */
export const progressOptions = [
  '--config=progress.assume-tty=True',
  '--config=progress.delay=0',
  '--config=progress.changedelay=0',
  '--config=progress.refresh=0.2',
  '--config=progress.width=80',
  '--config=progress.format=topic number unit',
];

/** Parses the progress that commands with `progressOptions` print. */
export const parseHgProgress: ParseProgress = (text) => {
  const [, topic, done = '', total, unit] = progressLine.exec(text) ?? [];
  const step = Object.hasOwn(progressSteps, `${topic} ${unit}`) ? progressSteps[`${topic} ${unit}`] : undefined;
  return step ? toProgress(...step, done, total) : null;
};

export interface HgRemoteOptions {
  readonly files: RuntimeFiles;
  readonly egress: EgressGuard;
  readonly sshDir: string | null;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly limits: LimitsByWork;
  readonly serverArgv: readonly string[];
  readonly report?: Report | undefined;
}

function hasLogin({ username, scheme }: Remote): boolean {
  return username !== null && scheme !== 'ssh';
}

function loginOptions(remote: Remote): string[] {
  if (!hasLogin(remote)) return [];
  return [
    `--config=auth.remote.prefix=${new URL(remote.url).host}/`,
    '--config=auth.remote.schemes=http https',
    `--config=auth.remote.username=${remote.username ?? ''}`,
    ...(remote.password === null ? [] : [`--config=auth.remote.password=${remote.password}`]),
  ];
}

function guardOptions({ host, port, username, password }: EgressSession, files: RuntimeFiles): string[] {
  return [
    `--config=http_proxy.host=${host}:${port}`,
    `--config=http_proxy.user=${username}`,
    `--config=http_proxy.passwd=${password}`,
    '--config=http_proxy.always=True',
    '--config=http.timeout=60',
    '--config=ui.clonebundles=False',
    `--config=ui.ssh=${quoted(files.ssh)}`,
  ];
}

/**
 * Runs commands against a remote on a new command server: credentials go through its stdin and are on no command line.
 * All commands share one timeout and one limit of bytes. Returns when the server has exited.
 */
export async function runWithRemote(
  options: HgRemoteOptions,
  remote: Remote,
  signal: AbortSignal,
  act: (run: (args: readonly string[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { files, egress, sshDir, timeoutMs, bytesMax, limits, serverArgv } = options;
  await memoryBudget.waitForMemory(scopeOfOperation.memoryWaitMs, signal);
  const onStderr = options.report && progressReader(parseHgProgress, options.report);
  // After a redirect to another host, Mercurial would send the login there, too.
  const only = hasLogin(remote) ? toTarget(new URL(remote.url)) : null;
  const session = egress.open({ bytesMax, only });
  const deadline = performance.now() + timeoutMs;
  const server = startServer(() => {
    const env = fetchEnvironment(files, remote, session, sshDir);
    return new CommandServer(dieWithParentCommand(serverArgv, limits.fetch), env);
  }, session);
  const globals = [...progressOptions, ...guardOptions(session, files), ...loginOptions(remote)];
  const bounds = { signal, stdoutBytesMax: 1 << 26, writtenBytesMax: limits.fetch.fileBytes, onStderr };
  try {
    await act(async (args) => {
      const msLeft = Math.max(1, Math.round(deadline - performance.now()));
      const { exitCode, stderr } = await server
        .run([...globals, ...args], { ...bounds, timeoutMs: msLeft })
        .catch((error: unknown) => {
          throw crashed(server, error) ? new RemoteError(session.failure ?? 'broken remote', 'hg has crashed') : error;
        });
      if (exitCode !== 0) throw toolError(`hg ended with ${exitCode}`, stderr, remote, session.failure);
    });
  } finally {
    server.kill();
    session.close();
    // The attempt that holds the lease may go on only when no process writes in the repository any more.
    await server.ended;
  }
}

/** Starts a server, or closes the session when the server cannot be started, such as without memory or descriptors. */
function startServer(start: () => CommandServer, session: EgressSession): CommandServer {
  try {
    return start();
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Returns whether Mercurial crashed on data of the remote; a process that never sent its greeting did not. */
function crashed(server: CommandServer, error: unknown): boolean {
  return server.hasStarted && error instanceof VcsError && error.kind === 'failed';
}
