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
