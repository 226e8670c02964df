/** The closed set of error codes that travel on the bus and label metrics. */
export const errorCodes = [
  'invalid_request',
  'method_not_found',
  'authentication',
  'invalid_args',
  'forbidden',
  'not_found',
  'conflict',
  'operation_failed',
  'outcome_unknown',
  'busy',
  'unavailable',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/**
 * The root of every error a client may see. `message` is the client's text, word for word;
 * `cause` and `details` are for our logs and never leave the process.
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

/** The body is not a usable JSON-RPC request. */
export class InvalidRequestError extends RpcError {
  readonly code = 'invalid_request';
}

/** No method has this name. */
export class MethodNotFoundError extends RpcError {
  readonly code = 'method_not_found';
}

/** The key is unknown, expired or revoked, its user is inactive, or the address is not allowed. */
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

/** The state of the instance forbids it: a name is taken, forks are attached. */
export class ConflictError extends RpcError {
  readonly code = 'conflict';
}

/** The work was allowed and begun, and failed. */
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

/** Every worker of the lane has all its slots in use. */
export class BusyError extends RpcError {
  readonly code = 'busy';

  constructor(options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super('Service is busy, try again later', options);
  }
}

/** Bus, database or workers cannot be reached. */
export class UnavailableError extends RpcError {
  readonly code = 'unavailable';

  constructor(options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super('Service is temporarily unavailable, try again later', options);
  }
}

/** Anything unforeseen: a fixed text for the client, everything else for the log. */
export class InternalError extends RpcError {
  readonly code = 'internal';

  constructor(options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super('Internal server error', options);
  }
}
