import { VcsError } from '../vcs-error.ts';
import { runCommand, type CommandOptions } from './run-command.ts';

const stdoutBytesMax = 4_096;

/** Returns a function that asks a tool for its version once and caches the answer; a failure is not cached. */
export function toolVersion(
  command: readonly string[],
  options: Pick<CommandOptions, 'env' | 'timeoutMs'>,
): () => Promise<string> {
  let answer: Promise<string> | undefined;
  const ask = async () => {
    const { exitCode, stdout, stderr } = await runCommand(command, { ...options, stdoutBytesMax });
    const version = /\d[^\s)]*/.exec(stdout.toString('utf8'))?.[0];
    if (exitCode === 0 && version !== undefined) return version;
    throw new VcsError('failed', `asked for its version, the tool ended with ${exitCode}: ${stderr}`);
  };
  const forget = (error: unknown) => {
    answer = undefined;
    throw error;
  };
  return () => (answer ??= ask().catch(forget));
}
