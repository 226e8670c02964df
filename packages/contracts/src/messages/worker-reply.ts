import * as v from 'valibot';
import {
  AuthenticationError,
  BusyError,
  ConflictError,
  type ErrorCode,
  errorCodes,
  ForbiddenError,
  InternalError,
  InvalidArgsError,
  InvalidRequestError,
  MethodNotFoundError,
  NotFoundError,
  OperationFailedError,
  OutcomeUnknownError,
  RepositoryLockedError,
  type RpcError,
  UnavailableError,
  WrongStorageError,
} from '../errors.ts';

const WireErrorSchema = v.object({ code: v.picklist(errorCodes), message: v.string() });

/** The only parts of an error that are sent on the bus: its code and the client's text. */
type WireError = v.InferOutput<typeof WireErrorSchema>;

const rebuild: Record<ErrorCode, (message: string) => RpcError> = {
  invalid_request: (message) => new InvalidRequestError(message),
  method_not_found: (message) => new MethodNotFoundError(message),
  authentication: (message) => new AuthenticationError(message),
  invalid_args: (message) => new InvalidArgsError(message),
  forbidden: (message) => new ForbiddenError(message),
  not_found: (message) => new NotFoundError(message),
  conflict: (message) => new ConflictError(message),
  locked: (message) => new RepositoryLockedError(message),
  operation_failed: (message) => new OperationFailedError(message),
  outcome_unknown: (message) => new OutcomeUnknownError(message),
  busy: () => new BusyError({ quota: 'worker' }),
  unavailable: () => new UnavailableError(),
  wrong_storage: (message) => new WrongStorageError(message),
  internal: () => new InternalError(),
};

export function toWireError(error: RpcError): WireError {
  return { code: error.code, message: error.message };
}

/** Rebuilds the error that a reply names by its code; an unknown code becomes an InternalError. */
export function fromWireError(wire: unknown): RpcError {
  const parsed = v.safeParse(WireErrorSchema, wire);
  return parsed.success ? rebuild[parsed.output.code](parsed.output.message) : new InternalError({ cause: wire });
}

/** Stands for the texts while a value is encoded; no other process knows it. */
const placeholder = crypto.randomUUID();
let texts: string[] = [];

class RawJson {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): string {
    texts.push(this.#text);
    return placeholder;
  }
}

/**
 * Returns what stands in a result for a value that exists as JSON only, as Postgres has made it: `encodeJson` passes the
 * text on. No code may read the members of the value.
 */
export function rawJson(text: string): unknown {
  return new RawJson(text);
}

/** Encodes a value as JSON, with the texts of `rawJson` in it. */
export function encodeJson(value: unknown): string {
  texts = [];
  const json = JSON.stringify(value) ?? 'null';
  if (texts.length === 0) return json;
  const found = texts;
  texts = [];
  const parts = json.split(`"${placeholder}"`);
  if (parts.length !== found.length + 1) throw new Error('the JSON of a result has other parts than its texts');
  return parts.map((part, at) => part + (found[at] ?? '')).join('');
}

/**
 * Answer of a worker. A result is encoded JSON that the gateway passes to the client without parsing it; the code of
 * an error is sent in a header, by which the gateway distinguishes errors from results.
 */
export interface WorkerReply {
  readonly payload: Uint8Array;
  readonly errorCode: ErrorCode | null;
  /** Whether the payload is the offer of a large answer, which comes over the worker's data port. */
  readonly isOffer?: boolean;
}

/** NATS header with the code of an error. The NATS status 503 is not used: clients read it as "no responders". */
export const errorHeader = 'Trunkline-Error';

/** NATS header that marks the offer of a large answer. */
export const offerHeader = 'Trunkline-Offer';

const decoder = new TextDecoder();

export function encodeResult(result: unknown): WorkerReply {
  return { payload: Buffer.from(encodeJson(result)), errorCode: null };
}

export function encodeError(error: RpcError): WorkerReply {
  return { payload: Buffer.from(JSON.stringify(toWireError(error))), errorCode: error.code };
}

export function decodeError(payload: Uint8Array): RpcError {
  try {
    return fromWireError(JSON.parse(decoder.decode(payload)));
  } catch (cause) {
    return new InternalError({ cause });
  }
}
