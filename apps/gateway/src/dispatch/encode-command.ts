import {
  encodeWorkerRequest,
  joinSignature,
  mapSecretArgs,
  type Method,
  type WorkerRequest,
} from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import { callerKey } from './command.ts';

/** Encodes a command for a worker: signed, and with its secret arguments sealed. */
export function encodeCommand(
  vault: Pick<SecretVault, 'hmac' | 'seal'>,
  method: Method,
  request: Omit<WorkerRequest, 'method' | 'callerKey'>,
): Uint8Array {
  const seal = (value: unknown) => vault.seal(JSON.stringify(value)).toString('base64');
  const args = mapSecretArgs(method.args, request.args, seal);
  const own = { method: method.name, args, callerKey: callerKey(request.caller) };
  const body = encodeWorkerRequest({ ...request, ...own });
  return joinSignature(vault.hmac('bus command', body), body);
}

/** Encodes the message that ends a read: the id of its request, signed. */
export function encodeCancellation(vault: Pick<SecretVault, 'hmac'>, requestId: string): Uint8Array {
  const body = Buffer.from(requestId);
  return joinSignature(vault.hmac('bus cancellation', body), body);
}
