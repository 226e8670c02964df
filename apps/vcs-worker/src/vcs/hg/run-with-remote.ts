import type { EgressGuard, EgressSession } from '../egress/egress-guard.ts';
import { fetchEnvironment } from '../process/child-environment.ts';
import type { LimitsByWork } from '../process/command-limits.ts';
import { fencedCommand } from '../process/fenced-command.ts';
import { toTarget } from '../egress/target.ts';
import { quoted } from '../process/quoted.ts';
import type { RuntimeFiles } from '../process/runtime-files.ts';
import { withoutLogin } from '../process/without-login.ts';
import { progressReader, withoutProgress, type Report } from '../progress.ts';
import type { Remote } from '../remote/remote.ts';
import { VcsError } from '../vcs-error.ts';
import { CommandServer } from './command-server.ts';
import { parseHgProgress, progressOptions } from './parse-progress.ts';

export interface HgRemoteOptions {
  readonly files: RuntimeFiles;
  readonly egress: EgressGuard;
  readonly sshDir: string | null;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly limits: LimitsByWork;
  readonly serverWords: readonly string[];
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
 * Runs one command against a remote on a server of its own, so that credentials go through its pipe
 * and are on no command line.
 */
export async function runWithRemote(
  options: HgRemoteOptions,
  remote: Remote,
  signal: AbortSignal,
  args: readonly string[],
): Promise<void> {
  const { files, egress, sshDir, timeoutMs, bytesMax, limits, serverWords } = options;
  const onStderr = options.report && progressReader(parseHgProgress, options.report);
  // Mercurial sends a login that it has once sent to whatever host it is redirected to.
  const only = hasLogin(remote) ? toTarget(new URL(remote.url)) : null;
  const session = egress.open({ bytesMax, only });
  const env = fetchEnvironment(files, remote, session, sshDir);
  const server = new CommandServer(fencedCommand(serverWords, limits.fetch), env);
  try {
    const words = [...progressOptions, ...guardOptions(session, files), ...loginOptions(remote), ...args];
    const bounds = { timeoutMs, signal, stdoutBytesMax: 1 << 26, writtenBytesMax: limits.fetch.fileBytes };
    const { exitCode, stderr } = await server.run(words, { ...bounds, onStderr });
    if (exitCode === 0) return;
    if (session.refused) throw new VcsError('remote-refused', 'the remote’s address is not allowed');
    if (session.bytesReceived > bytesMax) throw new VcsError('too-large', `more than ${bytesMax} bytes received`);
    throw new VcsError('remote-failed', `hg ended with ${exitCode}: ${withoutLogin(withoutProgress(stderr), remote)}`);
  } finally {
    server.kill();
    session.close();
    // Whoever holds the repository's lease may go on only when nothing writes any more.
    await server.ended;
  }
}
