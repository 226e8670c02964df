import { maskCredentials } from './mask-credentials.ts';
import type { SecretVault } from './secret-vault.ts';

export interface StoredCloneUri {
  readonly cloneUri: string | null;
  readonly cloneUriSealed: Buffer | null;
  readonly cloneUriSecretId: string | null;
}

/** Returns a remote location as stored: in the clear without a password, else masked beside the sealed full URL. */
export function toStoredCloneUri(cloneUri: string | null, vault: SecretVault): StoredCloneUri {
  const masked = cloneUri === null ? null : maskCredentials(cloneUri);
  if (cloneUri === null || masked === cloneUri) return { cloneUri, cloneUriSealed: null, cloneUriSecretId: null };
  return { cloneUri: masked, cloneUriSealed: vault.seal(cloneUri), cloneUriSecretId: vault.secretId };
}

/** Returns the remote location as the client sent it. */
export function openCloneUri(
  stored: Pick<StoredCloneUri, 'cloneUri' | 'cloneUriSealed'>,
  vault: SecretVault,
): string | null {
  return stored.cloneUriSealed ? vault.open(stored.cloneUriSealed) : stored.cloneUri;
}
