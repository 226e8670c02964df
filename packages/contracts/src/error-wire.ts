import * as v from 'valibot';
import {
  AuthenticationError,
  BusyError,
  ConflictError,
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
  RpcError,
  UnavailableError,
  WrongStorageError,
  type ErrorCode,
} from './errors.ts';

const WireErrorSchema = v.object({ code: v.picklist(errorCodes), message: v.string() });

/** The only parts of an error that are sent on the bus: its code and the client's text. */
export type WireError = v.InferOutput<typeof WireErrorSchema>;

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

/** Returns a thrown RpcError unchanged; any other thrown value becomes the cause of an InternalError. */
export function toRpcError(thrown: unknown): RpcError {
  return thrown instanceof RpcError ? thrown : new InternalError({ cause: thrown });
}

export function toWireError(error: RpcError): WireError {
  return { code: error.code, message: error.message };
}

/** Rebuilds the error that a reply names by its code; an unknown code becomes an InternalError. */
export function fromWireError(wire: unknown): RpcError {
  const parsed = v.safeParse(WireErrorSchema, wire);
  return parsed.success ? rebuild[parsed.output.code](parsed.output.message) : new InternalError({ cause: wire });
}
