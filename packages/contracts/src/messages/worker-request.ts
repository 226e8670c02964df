import * as v from 'valibot';
import { InvalidRequestError } from '../errors.ts';

/** By what a caller is known: a key, a session, or nothing at all, in which case he is the user `default`. */
const CredentialSchema = v.variant('kind', [
  v.object({ kind: v.literal('key'), id: v.number() }),
  v.object({ kind: v.literal('session'), id: v.number() }),
  v.object({ kind: v.literal('anonymous') }),
]);

const WorkerRequestSchema = v.object({
  method: v.string(),
  args: v.unknown(),
  caller: v.object({ userId: v.number(), ip: v.string(), credential: CredentialSchema }),
  requestId: v.pipe(v.string(), v.uuid()),
  /** Milliseconds that are left for the answer, counted from the moment of sending. */
  timeoutMs: v.number(),
  /** When it was sent, in milliseconds since 1970 by the clock of its gateway. */
  sentAt: v.number(),
});

/** What a gateway asks of a worker; the caller's key or cookie itself never travels. */
export type WorkerRequest = v.InferOutput<typeof WorkerRequestSchema>;

export type Caller = WorkerRequest['caller'];

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export function encodeWorkerRequest(request: WorkerRequest): Uint8Array {
  return encoder.encode(JSON.stringify(request));
}

/** Throws InvalidRequestError on anything a gateway of ours would not have sent. */
export function decodeWorkerRequest(bytes: Uint8Array): WorkerRequest {
  try {
    return v.parse(WorkerRequestSchema, JSON.parse(decoder.decode(bytes)));
  } catch (cause) {
    throw new InvalidRequestError('The request on the bus is malformed', { cause });
  }
}
