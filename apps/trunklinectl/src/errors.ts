import { InvalidArgsError } from '@trunkline/contracts';
import { databaseFailure, isMissingRight } from '@trunkline/db';
import { ConfigError, toOneLine } from '@trunkline/runtime';
import { CommanderError } from 'commander';

/** The exit codes, by which scripts tell a refusal from a wrong command line and from servers that do not answer. */
export const exitCodes = { success: 0, failed: 1, usage: 2, unreachable: 3 } as const;

/** Error of a command line, a setting or an input that cannot be used. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Error of a command that was understood, and not done. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** Error of a server or a process that does not answer. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

interface Explained {
  readonly text: string;
  readonly exitCode: number;
}

/** Returns one line about an error, without any setting, and the exit code. */
export function explainError(error: unknown): Explained {
  if (error instanceof CommanderError) {
    return { text: error.message.replace(/^error: /, ''), exitCode: exitCodes.usage };
  }
  const isUsage = error instanceof UsageError || error instanceof ConfigError || error instanceof InvalidArgsError;
  if (isUsage) return { text: error.message, exitCode: exitCodes.usage };
  // Its sentence says more than what has caused it.
  if (error instanceof RefusedError) return { text: error.message, exitCode: exitCodes.failed };
  if (isMissingRight(error)) {
    const text =
      'The role of TRUNKLINE_DATABASE_URL may not do this: use the settings of a worker (docs/trunklinectl.md)';
    return { text, exitCode: exitCodes.failed };
  }
  if (databaseFailure(error) !== undefined) {
    return { text: `The database does not answer: ${toOneLine(error)}`, exitCode: exitCodes.unreachable };
  }
  if (error instanceof UnreachableError) return { text: error.message, exitCode: exitCodes.unreachable };
  return { text: toOneLine(error), exitCode: exitCodes.failed };
}
