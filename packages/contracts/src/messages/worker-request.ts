import * as v from 'valibot';
import { InvalidRequestError } from '../errors.ts';
import { correlationEntries } from './correlation.ts';

/** How a caller was authenticated: by a key, by a session, or not at all, which makes the caller the user `default`. */
const CredentialSchema = v.variant('kind', [
  v.object({ kind: v.literal('key'), id: v.number() }),
  v.object({ kind: v.literal('session'), id: v.number() }),
  v.object({ kind: v.literal('anonymous') }),
]);

const WorkerRequestSchema = v.object({
  method: v.string(),
  args: v.unknown(),
  caller: v.object({ userId: v.number(), ip: v.string(), credential: CredentialSchema }),
  /** Made by the gateway, also the id of the operation that the call begins. */
  requestId: v.pipe(v.string(), v.uuid()),
  ...correlationEntries,
  /** Milliseconds from sending to the time limit of the answer. */
  timeoutMs: v.number(),
  /** The time of sending by the gateway's clock, in milliseconds since 1970. */
  sentAt: v.number(),
});

/** A command from a gateway to a worker. The caller's key or cookie itself never travels. */
export type WorkerRequest = v.InferOutput<typeof WorkerRequestSchema>;

export type Caller = WorkerRequest['caller'];

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export function encodeWorkerRequest(request: WorkerRequest): Uint8Array {
  return encoder.encode(JSON.stringify(request));
}

/** Throws InvalidRequestError for bytes that no gateway of this release sends. */
export function decodeWorkerRequest(bytes: Uint8Array): WorkerRequest {
  try {
    return v.parse(WorkerRequestSchema, JSON.parse(decoder.decode(bytes)));
  } catch (cause) {
    throw new InvalidRequestError('The request on the bus is malformed', { cause });
  }
}
