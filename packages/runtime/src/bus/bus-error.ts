import { ErrorCode, NatsError } from 'nats';

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

const reasons = new Map<string, BusErrorReason>([
  [ErrorCode.NoResponders, 'no-responders'],
  [ErrorCode.Timeout, 'timeout'],
  [ErrorCode.MaxPayloadExceeded, 'too-large'],
]);

/** Wraps an error of the NATS client in a BusError with its reason. */
export function toBusError(thrown: unknown): BusError {
  if (thrown instanceof BusError) return thrown;
  const reason = thrown instanceof NatsError ? reasons.get(thrown.code) : undefined;
  return new BusError(reason ?? 'lost', thrown);
}
