import {
  AuthenticationError,
  BusyError,
  ConflictError,
  ForbiddenError,
  InvalidArgsError,
  InvalidRequestError,
  NotFoundError,
  OperationFailedError,
  OutcomeUnknownError,
  UnavailableError,
  type RpcError,
} from '@trunkline/contracts';
import { RateLimitedError } from '../../authn/rate-limit.ts';

const statuses = [
  [AuthenticationError, 403],
  [ForbiddenError, 403],
  [NotFoundError, 404],
  [InvalidArgsError, 400],
  [InvalidRequestError, 400],
  [ConflictError, 409],
  [OperationFailedError, 422],
  [OutcomeUnknownError, 504],
  // RateLimitedError precedes its base class, BusyError, since the first match counts.
  [RateLimitedError, 429],
  [BusyError, 503],
  [UnavailableError, 503],
] as const;

export type ErrorStatus = (typeof statuses)[number][1] | 500;

/** Returns the HTTP status of an error's page. */
export function statusOf(error: RpcError): ErrorStatus {
  return statuses.find(([kind]) => error instanceof kind)?.[1] ?? 500;
}
