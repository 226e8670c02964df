import type { CommandLimits } from '../process/command-limits.ts';
import { limitedCommand } from '../process/fenced-command.ts';
import type { CommandResult } from '../process/run-command.ts';
import { runCommand } from '../process/run-command.ts';
import { VcsError } from '../vcs-error.ts';

interface ReadOptions {
  /** Options of git itself, which stand before the command. */
  readonly settings?: readonly string[];
  readonly input?: string;
  readonly stdoutBytesMax?: number;
}

/** Runs git on a repository for reading; what it prints, or VcsError when it fails. */
export interface GitCommands {
  read(path: string, args: readonly string[], options?: ReadOptions): Promise<Buffer>;
  /** Like `read`, but the exit code is the caller's to judge. */
  tryRead(path: string, args: readonly string[], options?: ReadOptions): Promise<CommandResult>;
  /** The words that start git on a repository. */
  words(path: string, args: readonly string[]): readonly string[];
}

export function createGitCommands(options: {
  gitCommand: readonly string[];
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  stdoutBytesMax: number;
  limits: CommandLimits;
}): GitCommands {
  const { gitCommand, env, timeoutMs, stdoutBytesMax, limits } = options;
  const words = (path: string, args: readonly string[]) => [...gitCommand, `--git-dir=${path}`, ...args];
  const tryRead = (path: string, args: readonly string[], { settings = [], ...own }: ReadOptions = {}) =>
    runCommand(limitedCommand(words(path, [...settings, ...args]), limits), { env, timeoutMs, stdoutBytesMax, ...own });
  return {
    words,
    tryRead,
    async read(path, args, own) {
      const { exitCode, stdout, stderr } = await tryRead(path, args, own);
      if (exitCode !== 0) throw new VcsError('failed', `git ${args[0]} ended with ${exitCode}: ${stderr}`);
      return stdout;
    },
  };
}
