import type { CallScope } from '../process/call-scope.ts';
import { dieWithParentCommand, limitedCommand, type CommandLimits } from '../process/command-limits.ts';
import type { CommandResult } from '../process/run-command.ts';
import { runCommand } from '../process/run-command.ts';
import { toolFailure } from '../process/tool-failure.ts';

interface RunOptions {
  /** Options of git itself, which stand before the subcommand, such as `-c`. */
  readonly settings?: readonly string[];
  readonly input?: string | Buffer;
  readonly stdoutBytesMax?: number;
  /** The environment, where it is not that of the other commands. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether the command may compute for long: it then ends with this process, and takes a millisecond more to start. */
  readonly mayBeLong?: boolean;
}

/** Runs local git commands on a repository, within limits of time and output. */
export interface GitCommands {
  /** Returns the command's stdout; throws VcsError `failed` on a non-zero exit code. */
  run(path: string, args: readonly string[], options?: RunOptions): Promise<Buffer>;
  /** Like `run`, but returns any exit code, with stdout and stderr, instead of throwing. */
  tryRun(path: string, args: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Returns the command line that runs git on a repository: the program and its arguments. */
  argv(path: string, args: readonly string[]): readonly string[];
}

export function createGitCommands(options: {
  gitCommand: readonly string[];
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  stdoutBytesMax: number;
  limits: CommandLimits;
  scope: CallScope;
}): GitCommands {
  const { gitCommand, env, timeoutMs, stdoutBytesMax, limits, scope } = options;
  const argv = (path: string, args: readonly string[]) => [...gitCommand, `--git-dir=${path}`, ...args];
  const tryRun = (path: string, args: readonly string[], { settings = [], mayBeLong, ...own }: RunOptions = {}) => {
    const limited = mayBeLong === true ? dieWithParentCommand : limitedCommand;
    const command = limited(argv(path, [...settings, ...args]), limits);
    return runCommand(command, { env, timeoutMs, stdoutBytesMax, ...scope, ...own });
  };
  return {
    argv,
    tryRun,
    async run(path, args, own) {
      const { exitCode, stdout, stderr } = await tryRun(path, args, own);
      if (exitCode !== 0) throw toolFailure(`git ${args[0]} ended with ${exitCode}`, stderr);
      return stdout;
    },
  };
}
