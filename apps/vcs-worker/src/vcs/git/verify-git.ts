import { dieWithParentCommand, idleCommand, type CommandLimits } from '../process/command-limits.ts';
import { runCommand } from '../process/run-command.ts';
import { asVerificationError, verificationError } from '../verification-error.ts';
import type { GitCommands } from './git-commands.ts';

interface Options {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly limits: CommandLimits;
}

const fsck = ['fsck', '--full', '--no-dangling', '--no-progress'];
const outputBytesMax = 16 * 1024 * 1024;
/**
 * Exit codes when objects are malformed, as old tools have made them, but also when they are damaged: as files of their
 * own, in packs, and both.
 */
const badObjects = [1, 4, 5];
const harmless = /^(?:$|error in |warning in |notice: )/;

/**
 * Reads every object, and checks that all that refs lead to are there. Accepts objects that are whole but malformed. Throws
 * VcsError `damaged` when git says that something is damaged or missing, and another one when it could not read all.
 */
export async function verifyGit(
  git: GitCommands,
  { env, timeoutMs, limits }: Options,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const command = dieWithParentCommand(idleCommand(git.argv(path, fsck)), limits);
  let begun = '';
  let damage: string | undefined;
  const onStderr = (text: string) => {
    const lines = (begun + text).split('\n');
    begun = (lines.pop() ?? '').slice(0, 1_000);
    damage ??= lines.find((line) => !harmless.test(line));
  };
  const bounds = { timeoutMs, stdoutBytesMax: outputBytesMax, signal, onStderr };
  const { exitCode, stdout, stderr } = await runCommand(command, { env, ...bounds }).catch((error: unknown) => {
    throw asVerificationError(error);
  });
  onStderr('\n');
  if (exitCode === 0 || (badObjects.includes(exitCode) && damage === undefined && stdout.length === 0)) return;
  throw verificationError('git fsck', { exitCode, said: [damage ?? '', stdout.subarray(0, 1_000), stderr].join('\n') });
}
