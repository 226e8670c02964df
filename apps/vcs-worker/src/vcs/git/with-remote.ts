import type { EgressGuard } from '../egress/egress-guard.ts';
import { fetchEnvironment } from '../process/child-environment.ts';
import { dieWithParentCommand, type LimitsByWork } from '../process/command-limits.ts';
import { runCommand } from '../process/run-command.ts';
import type { RuntimeFiles } from '../process/runtime-files.ts';
import { progressReader, toProgress, type ParseProgress, type Report } from '../progress.ts';
import type { Remote } from '../remote/parse-remote.ts';
import { toolError } from '../remote/remote-error.ts';
import type { GitCommands } from './git-commands.ts';

const units: Readonly<Record<string, string>> = {
  'Receiving objects': 'objects',
  'Resolving deltas': 'deltas',
};

const line = /^(Receiving objects|Resolving deltas): {1,3}\d{1,3}% \((\d{1,15})\/(\d{1,15})\)/;

/** Parses a line of `git fetch --progress`; lines that the remote sent begin with `remote: ` and are ignored. */
export const parseGitProgress: ParseProgress = (text) => {
  const [, phase = '', done = '', total] = line.exec(text) ?? [];
  return phase === '' ? null : toProgress(phase.toLowerCase(), units[phase] ?? '', done, total);
};

/** Runs a git command that may reach the remote, with these further variables; returns its stdout. */
export type RunWithRemote = (path: string, args: readonly string[], variables?: NodeJS.ProcessEnv) => Promise<Buffer>;

export interface GitRemoteOptions {
  readonly files: RuntimeFiles;
  readonly egress: EgressGuard;
  readonly sshDir: string | null;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly limits: LimitsByWork;
  readonly report?: Report | undefined;
}

/**
 * Has `act` run git commands on one repository that may reach one remote, through the egress guard alone. The commands
 * share one limit of time and one of received bytes. A non-zero exit code throws the error of `toolError`.
 */
export async function withRemote<T>(
  git: GitCommands,
  options: GitRemoteOptions,
  remote: Remote,
  signal: AbortSignal,
  act: (run: RunWithRemote) => Promise<T>,
): Promise<T> {
  const { files, egress, sshDir, timeoutMs, bytesMax, limits } = options;
  const onStderr = options.report && progressReader(parseGitProgress, options.report);
  const session = egress.open({ bytesMax });
  const deadline = performance.now() + timeoutMs;
  // The credential helper (`process/runtime-files.ts`) reads the user name and the password as one line each.
  const secret = remote.username === null ? undefined : `${remote.username}\n${remote.password ?? ''}\n`;
  try {
    const env = fetchEnvironment(files, remote, session, sshDir);
    return await act(async (path, args, variables) => {
      const command = dieWithParentCommand(git.argv(path, args), limits.fetch);
      const msLeft = Math.max(1, Math.round(deadline - performance.now()));
      const bounds = { timeoutMs: msLeft, signal, stdoutBytesMax: 1 << 26, writtenBytesMax: limits.fetch.fileBytes };
      const { exitCode, stdout, stderr } = await runCommand(command, {
        env: { ...env, ...variables },
        ...bounds,
        secret,
        onStderr,
      });
      if (exitCode !== 0) throw toolError(`git ${args[0]} ended with ${exitCode}`, stderr, remote, session.failure);
      return stdout;
    });
  } finally {
    session.close();
  }
}
