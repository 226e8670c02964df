import type { EgressGuard } from '../egress/egress-guard.ts';
import { fetchEnvironment } from '../process/child-environment.ts';
import { dieWithParentCommand } from '../process/limited-command.ts';
import type { LimitsByWork } from '../process/command-limits.ts';
import { runCommand } from '../process/run-command.ts';
import type { RuntimeFiles } from '../process/runtime-files.ts';
import { progressReader, type Report } from '../progress.ts';
import type { Remote } from '../remote/remote.ts';
import { toolError } from '../remote/tool-error.ts';
import type { GitCommands } from './git-commands.ts';
import { parseGitProgress } from './parse-progress.ts';

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
  act: (run: (path: string, args: readonly string[]) => Promise<string>) => Promise<T>,
): Promise<T> {
  const { files, egress, sshDir, timeoutMs, bytesMax, limits } = options;
  const onStderr = options.report && progressReader(parseGitProgress, options.report);
  const session = egress.open({ bytesMax });
  const deadline = performance.now() + timeoutMs;
  // The credential helper (`process/runtime-files.ts`) reads the user name and the password as one line each.
  const secret = remote.username === null ? undefined : `${remote.username}\n${remote.password ?? ''}\n`;
  try {
    const env = fetchEnvironment(files, remote, session, sshDir);
    return await act(async (path, args) => {
      const command = dieWithParentCommand(git.argv(path, args), limits.fetch);
      const msLeft = Math.max(1, Math.round(deadline - performance.now()));
      const bounds = { timeoutMs: msLeft, signal, stdoutBytesMax: 1 << 26, writtenBytesMax: limits.fetch.fileBytes };
      const { exitCode, stdout, stderr } = await runCommand(command, { env, ...bounds, secret, onStderr });
      if (exitCode !== 0) throw toolError(`git ${args[0]} ended with ${exitCode}`, stderr, remote, session.failure);
      return stdout.toString();
    });
  } finally {
    session.close();
  }
}
