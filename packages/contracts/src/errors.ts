/** All error codes; they are sent on the bus and are labels of metrics. */
export const errorCodes = [
  'invalid_request',
  'method_not_found',
  'authentication',
  'invalid_args',
  'forbidden',
  'not_found',
  'conflict',
  'locked',
  'operation_failed',
  'outcome_unknown',
  'busy',
  'unavailable',
  'wrong_storage',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/**
 * Base class of every error that a client may see. `message` is the client's text, word for word;
 * `cause` and `details` are for Trunkline's logs and never leave the process.
 */
export abstract class RpcError extends Error {
  abstract readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.details = options.details ?? {};
  }
}

/** The body of the request is not a usable JSON-RPC request. */
export class InvalidRequestError extends RpcError {
  readonly code = 'invalid_request';
}

/** No method has this name. */
export class MethodNotFoundError extends RpcError {
  readonly code = 'method_not_found';
}

/** The API key is unknown, expired or revoked, its user is inactive, or the client's IP address is not allowed. */
export class AuthenticationError extends RpcError {
  readonly code = 'authentication';
}

/** An argument is missing or has a value that the method does not accept. */
export class InvalidArgsError extends RpcError {
  readonly code = 'invalid_args';
}

/** The caller may not call this method at all. */
export class ForbiddenError extends RpcError {
  readonly code = 'forbidden';
}

/** The object does not exist, or the caller may not know that it exists. */
export class NotFoundError extends RpcError {
  readonly code = 'not_found';
}

/** The state of the instance forbids the call, for example because a name is taken or forks are attached. */
export class ConflictError extends RpcError {
  readonly code = 'conflict';
}

/** Another user holds the repository lock. */
export class RepositoryLockedError extends RpcError {
  readonly code = 'locked';
}

/** The call was allowed, but the work it began has failed. */
export class OperationFailedError extends RpcError {
  readonly code = 'operation_failed';
}

/** A write was sent to a worker, and its outcome is not known. */
export class OutcomeUnknownError extends RpcError {
  readonly code = 'outcome_unknown';

  static of(operationId: string, cause?: unknown): OutcomeUnknownError {
    return new OutcomeUnknownError(`The outcome of operation ${operationId} is not known yet, ask get_operation`, {
      cause,
      details: { operationId },
    });
  }
}

/** The quotas, queues and limits that refuse calls; they are labels of metrics. */
export const quotas = [
  'address_rate',
  'answers',
  'bodies',
  'call_queue',
  'connections',
  'copies',
  'key_guesses',
  'key_rate',
  'lists',
  'locked_rows',
  'memory',
  'operations',
  'passwords',
  'queries',
  'repository',
  'slots',
  'transfers',
  'waiting_calls',
  'worker',
  'other',
] as const;

export type Quota = (typeof quotas)[number];

/** The service has too much to do: for example, all slots of the lane are in use, or a queue is full. */
export class BusyError extends RpcError {
  readonly code = 'busy';
  /** What had no more; `worker` for the answer of a worker, whose own metrics say more. */
  readonly quota: Quota;

  constructor({ quota = 'other', ...options }: BusyErrorOptions = {}) {
    super('Service is busy, try again later', options);
    this.quota = quota;
  }
}

interface BusyErrorOptions {
  readonly quota?: Quota;
  readonly cause?: unknown;
  readonly details?: Record<string, unknown>;
}

/** The bus, the database or the workers cannot be reached. */
export class UnavailableError extends RpcError {
  readonly code = 'unavailable';

  constructor(options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super('Service is temporarily unavailable, try again later', options);
  }
}

/**
 * This worker does not serve the storage of the call; nothing ran. Sent to gateways only, which ask the workers of the
 * storage that the message names; the rights were decided before, so the name reveals nothing to a client.
 */
export class WrongStorageError extends RpcError {
  readonly code = 'wrong_storage';
}

/** Unexpected failure: the client gets a fixed text, the log everything else. */
export class InternalError extends RpcError {
  readonly code = 'internal';

  constructor(options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super('Internal server error', options);
  }
}

/** Returns a thrown RpcError unchanged; any other thrown value becomes the cause of an InternalError. */
export function toRpcError(thrown: unknown): RpcError {
  return thrown instanceof RpcError ? thrown : new InternalError({ cause: thrown });
}
