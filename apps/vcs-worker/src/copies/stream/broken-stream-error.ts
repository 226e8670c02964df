/** A stream of a tree breaks its rules, or ends before it is complete. Its message is for the log. */
export class BrokenStreamError extends Error {
  override readonly name = 'BrokenStreamError';
}
