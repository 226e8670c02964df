type EgressStatus = 400 | 403 | 407 | 502;

/** Becomes the proxy's answer; the message is sent as it is, so it names neither host nor address. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly status: EgressStatus;

  constructor(status: EgressStatus, message: string) {
    super(message);
    this.status = status;
  }
}
