import type { SecretVault } from '@trunkline/db';

/** A key as the database has it: to be found by, and to be shown again. */
export interface StoredKey {
  readonly mac: Buffer;
  readonly sealed: Buffer;
  readonly secretId: string;
}

export function toStoredKey(vault: SecretVault, key: string): StoredKey {
  return { mac: vault.mac(key), sealed: vault.seal(key), secretId: vault.secretId };
}
