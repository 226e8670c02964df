/**
 * Why a request on the bus has no answer: no responders, no reply in time, the bus was lost
 * meanwhile, or the requester has given it up.
 */
export type BusErrorReason = 'no-responders' | 'not-connected' | 'too-large' | 'timeout' | 'lost' | 'abandoned';

export class BusError extends Error {
  override readonly name = 'BusError';
  readonly reason: BusErrorReason;

  constructor(reason: BusErrorReason, cause?: unknown) {
    super(`bus: ${reason}`, { cause });
    this.reason = reason;
  }

  /** True when no worker can have begun anything. */
  get nothingRan(): boolean {
    return this.reason === 'no-responders' || this.reason === 'not-connected' || this.reason === 'too-large';
  }
}
