import type { SecretVault } from '@trunkline/db';

/** A key as stored: an HMAC to look it up, and the sealed key to show it again. */
export interface StoredKey {
  readonly mac: Buffer;
  readonly sealed: Buffer;
  readonly secretId: string;
}

export function toStoredKey(vault: SecretVault, key: string): StoredKey {
  return { mac: vault.mac(key), sealed: vault.seal(key), secretId: vault.secretId };
}
