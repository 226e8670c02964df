/** Thrown for a clone_uri that is not allowed. The message is the reason for the client and never quotes the URI. */
export class RemoteRefusedError extends Error {
  override readonly name = 'RemoteRefusedError';
}
