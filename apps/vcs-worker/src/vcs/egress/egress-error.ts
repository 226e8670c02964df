type EgressStatus = 400 | 403 | 407 | 502;

/** An error that becomes the proxy's answer. The message is sent unchanged, so it names neither host nor address. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly status: EgressStatus;

  constructor(status: EgressStatus, message: string) {
    super(message);
    this.status = status;
  }
}
