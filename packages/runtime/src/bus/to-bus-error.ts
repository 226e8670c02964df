import { ErrorCode, NatsError } from 'nats';
import { BusError, type BusErrorReason } from './bus-error.ts';

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
