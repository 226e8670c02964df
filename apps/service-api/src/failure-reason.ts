/** Returns the reason why a request failed, as one line. */
export function failureReason(error: unknown): string {
  // A host name with several addresses fails with an error that has one error for each address, and no message.
  if (error instanceof AggregateError) return error.errors.map(failureReason).join(', ');
  return error instanceof Error ? error.message : String(error);
}
