/** The message is the reason for the client; it never quotes the address. */
export class RemoteRefusedError extends Error {
  override readonly name = 'RemoteRefusedError';
}
