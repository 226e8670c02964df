import { scopeOfOperation } from '../process/call-scope.ts';
import { childEnvironment } from '../process/child-environment.ts';
import type { CommandLimits } from '../process/command-limits.ts';
import { dieWithParentCommand } from '../process/limited-command.ts';
import { memoryBudget } from '../process/memory-budget.ts';
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
