/** Why a request has no reply: no responders, no reply in time, or the connection was lost. */
export type BusErrorReason = 'no-responders' | 'not-connected' | 'too-large' | 'timeout' | 'lost';

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
