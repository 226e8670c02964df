import * as v from 'valibot';
import { BusyError, InvalidRequestError } from '../errors.ts';
import { StorageName } from '../subjects.ts';
import { correlationEntries } from './correlation.ts';
import { readFormat, type FormatReaders } from './read-format.ts';

/**
 * How a caller was authenticated: by an API key, by a session, by a password, or not at all (the caller is the user
 * `default`).
 */
const CredentialSchema = v.variant('kind', [
  v.object({ kind: v.literal('key'), id: v.number() }),
  v.object({ kind: v.literal('session'), id: v.number() }),
  /** The fingerprint changes with the password; a worker compares it with the user's present one. */
  v.object({ kind: v.literal('password'), fingerprint: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)) }),
  v.object({ kind: v.literal('anonymous') }),
]);

const WorkerRequestSchema = v.object({
  method: v.string(),
  args: v.unknown(),
  caller: v.object({ userId: v.number(), ip: v.string(), credential: CredentialSchema }),
  /** Whose share of the worker's slots the call counts towards: a user, or the address of an anonymous client. */
  callerKey: v.string(),
  /** UUID that the gateway generates; also the id of the operation that the call begins. */
  requestId: v.pipe(v.string(), v.uuid()),
  /** Name of the storage whose workers are asked; absent in the lane `metadata`. */
  storage: v.optional(StorageName),
  ...correlationEntries,
  /** Trace context (W3C) of the request's span; absent without tracing. A worker ignores one that it cannot read. */
  traceparent: v.optional(v.string()),
  /** Whether a large answer may be an offer of the worker's data port; gateways of 0.1.0 take it as a stream of the bus. */
  takesOffer: v.optional(v.boolean()),
  /** URL of the service as its clients reach it, without a slash at the end; absent where no answer contains it. */
  baseUrl: v.optional(v.string()),
  /** Time from the sending of the request to the time limit of the answer, in milliseconds. */
  timeoutMs: v.number(),
  /** The time of sending by the gateway's clock, in milliseconds since 1970. */
  sentAt: v.number(),
});

/** Command from a gateway to a worker. It never contains the caller's API key or cookie. */
export type WorkerRequest = v.InferOutput<typeof WorkerRequestSchema>;

export type Caller = WorkerRequest['caller'];

/** The format that gateways of this release write; workers of the previous release read it, too (ADR 40). */
const format = 1;

const readers: FormatReaders<WorkerRequest> = { 1: (message) => v.parse(WorkerRequestSchema, message) };

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export function encodeWorkerRequest(request: WorkerRequest): Uint8Array {
  return encoder.encode(JSON.stringify({ format, ...request }));
}

/**
 * Decodes a command. Throws BusyError for a format that this release does not read, and InvalidRequestError for bytes
 * that no gateway sends.
 */
export function decodeWorkerRequest(bytes: Uint8Array): WorkerRequest {
  try {
    return readFormat(readers, JSON.parse(decoder.decode(bytes)));
  } catch (cause) {
    if (cause instanceof BusyError) throw cause;
    throw new InvalidRequestError('The request on the bus is malformed', { cause });
  }
}
