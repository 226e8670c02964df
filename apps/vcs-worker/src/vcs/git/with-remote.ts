import type { EgressGuard } from '../egress/egress-guard.ts';
import { fetchEnvironment } from '../process/child-environment.ts';
import { fencedCommand } from '../process/fenced-command.ts';
import type { LimitsByWork } from '../process/command-limits.ts';
import { runCommand } from '../process/run-command.ts';
import type { RuntimeFiles } from '../process/runtime-files.ts';
import { withoutLogin } from '../process/without-login.ts';
import { progressReader, withoutProgress, type Report } from '../progress.ts';
import type { Remote } from '../remote/remote.ts';
import { VcsError } from '../vcs-error.ts';
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

/** Runs git commands on one repository that may reach one remote, through the guard and nothing else. */
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
  const env = fetchEnvironment(files, remote, session, sshDir);
  const secret = remote.username === null ? undefined : `${remote.username}\n${remote.password ?? ''}\n`;
  try {
    return await act(async (path, args) => {
      const words = fencedCommand(git.words(path, args), limits.fetch);
      const bounds = { timeoutMs, signal, stdoutBytesMax: 1 << 26, writtenBytesMax: limits.fetch.fileBytes };
      const { exitCode, stdout, stderr } = await runCommand(words, { env, ...bounds, secret, onStderr });
      if (exitCode === 0) return stdout.toString();
      if (session.refused) throw new VcsError('remote-refused', 'the remote’s address is not allowed');
      if (session.bytesReceived > bytesMax) throw new VcsError('too-large', `more than ${bytesMax} bytes received`);
      const said = withoutLogin(withoutProgress(stderr), remote);
      throw new VcsError('remote-failed', `git ${args[0]} ended with ${exitCode}: ${said}`);
    });
  } finally {
    session.close();
  }
}
