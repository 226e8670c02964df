import * as v from 'valibot';
import { BusyError, InvalidRequestError } from '../errors.ts';
import { StorageName } from '../subjects.ts';

const signatureBytes = 32;

/** Joins the parts of a command on the bus: the signature (32 bytes), then the signed bytes. */
export function joinSignature(signature: Uint8Array, body: Uint8Array): Uint8Array {
  const joined = new Uint8Array(signatureBytes + body.length);
  joined.set(signature);
  joined.set(body, signatureBytes);
  return joined;
}

/** Splits a command without verifying its signature, which is shorter than 32 bytes in a truncated command. */
export function splitSignature(command: Uint8Array): { readonly signature: Uint8Array; readonly body: Uint8Array } {
  return { signature: command.subarray(0, signatureBytes), body: command.subarray(signatureBytes) };
}

/** What reads one kind of message, by the number of its format. */
export type FormatReaders<T> = Readonly<Record<number, (message: unknown) => T>>;

/** Release 0.1.0 wrote no number. */
const Numbered = v.object({ format: v.optional(v.number(), 1) });

/**
 * Reads a parsed message in the format that it names. Throws BusyError for a format that this release does not read:
 * nothing has been run, and a process of another release may read it. Throws ValiError for anything else.
 */
export function readFormat<T>(readers: FormatReaders<T>, message: unknown): T {
  const { format } = v.parse(Numbered, message);
  const read = Object.hasOwn(readers, format) ? readers[format] : undefined;
  if (read) return read(message);
  const why = `its format is ${format}, and this release reads ${Object.keys(readers).join(' and ')}`;
  throw new BusyError({ cause: new Error(`${why}: it was sent by a process more than one release apart`) });
}

/**
 * Ids by which logs relate a request to others. The client chooses both, so they are never used for look-ups:
 * operations, the audit log and the check against replayed commands use ids that the gateway generates.
 */
const correlationEntries = {
  /** Id that the client gave the request, or id of the page's request that made this one; absent without either. */
  correlationId: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._:=+/-]{0,127}$/))),
  /** Id of the trace to which the client assigned the request, as in W3C Trace Context. */
  traceId: v.optional(v.pipe(v.string(), v.regex(/^(?!0{32})[0-9a-f]{32}$/))),
};

const CorrelationSchema = v.object(correlationEntries);

export type Correlation = Readonly<v.InferOutput<typeof CorrelationSchema>>;

/** Returns whether a text is a valid correlation id: up to 128 characters, none special in HTTP, logs or shells. */
export function isCorrelationId(text: string): boolean {
  return v.is(correlationEntries.correlationId, text);
}

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
