/**
 * Reason why a request on the bus has no answer: nothing was sent (no responders, no connection, a payload above the
 * server's limit), no reply in time, the connection was lost, or the requester abandoned the request.
 */
export type BusErrorReason = 'no-responders' | 'not-connected' | 'too-large' | 'timeout' | 'lost' | 'abandoned';

export class BusError extends Error {
  override readonly name = 'BusError';
  readonly reason: BusErrorReason;

  constructor(reason: BusErrorReason, cause?: unknown) {
    super(`bus: ${reason}`, { cause });
    this.reason = reason;
  }

  /** Whether it is certain that no worker has begun the request. */
  get nothingRan(): boolean {
    return this.reason === 'no-responders' || this.reason === 'not-connected' || this.reason === 'too-large';
  }
}
