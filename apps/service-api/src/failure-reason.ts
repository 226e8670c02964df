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
