import * as v from 'valibot';
import { InvalidRequestError } from '../errors.ts';

const WorkerRequestSchema = v.object({
  method: v.string(),
  args: v.unknown(),
  caller: v.object({ userId: v.number(), apiKeyId: v.number(), ip: v.string() }),
  requestId: v.pipe(v.string(), v.uuid()),
  /** Milliseconds that are left for the answer, counted from the moment of sending. */
  timeoutMs: v.number(),
});

/** What a gateway asks of a worker; the caller's key itself never travels. */
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
