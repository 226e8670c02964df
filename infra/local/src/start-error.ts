/** Failure to start the stack, with a message of one line for the user who started it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
