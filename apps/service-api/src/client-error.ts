/**
 * The exit codes, by which scripts tell an error that the service answered from a wrong command line and from a service
 * that cannot be reached. A configuration file that cannot be written counts as `usage`, any other error as `network`.
 */
export const exitCodes = { success: 0, serviceError: 1, usage: 2, network: 3 } as const;

/** Error of a command line, an environment variable or a configuration file that cannot be used. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Error of a service that could not be reached, or of a response that is no reply of the service. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** Returns the reason why a request failed, as one line. */
export function failureReason(error: unknown): string {
  // A host name with several addresses fails with an error that has one error for each address, and no message.
  if (error instanceof AggregateError) return error.errors.map(failureReason).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of a failed system call, such as ENOENT, which unlike the message has no path in it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
