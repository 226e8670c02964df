import { BusyError, decodeError, MethodNotFoundError, type RpcError } from '@trunkline/contracts';

/**
 * Decodes the error in a worker's reply. A gateway sends only methods that it knows itself: a worker that does not know
 * one is of the previous release and has run nothing, so the call is sent again, as after a busy answer.
 */
export function workerError(payload: Uint8Array): RpcError {
  const error = decodeError(payload);
  return error instanceof MethodNotFoundError ? new BusyError({ quota: 'worker', cause: error }) : error;
}
