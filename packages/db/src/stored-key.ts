import type { SecretVault } from './secret-vault.ts';

/** A key as stored: an HMAC by which the key is found, and the sealed key, which can be shown again. */
export interface StoredKey {
  readonly hmac: Buffer;
  readonly sealed: Buffer;
  readonly secretId: string;
}

export function toStoredKey(vault: SecretVault, key: string): StoredKey {
  return { hmac: vault.keyHmac(key), sealed: vault.seal(key), secretId: vault.secretId };
}
