import { joinSignature } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';

/** Encodes the message that ends a read: the id of its request, signed. */
export function encodeCancellation(vault: Pick<SecretVault, 'hmac'>, requestId: string): Uint8Array {
  const body = Buffer.from(requestId);
  return joinSignature(vault.hmac('bus cancellation', body), body);
}
