import type { SecretVault } from '@trunkline/db';
import { maskCredentials } from '../vcs/remote/mask-credentials.ts';

export interface StoredCloneUri {
  readonly cloneUri: string | null;
  readonly cloneUriSealed: Buffer | null;
}

/** Returns a remote location as stored: in the clear without a password, else masked beside the sealed full URL. */
export function toStoredCloneUri(cloneUri: string | null, vault: SecretVault): StoredCloneUri {
  if (cloneUri === null) return { cloneUri: null, cloneUriSealed: null };
  const masked = maskCredentials(cloneUri);
  return { cloneUri: masked, cloneUriSealed: masked === cloneUri ? null : vault.seal(cloneUri) };
}

/** Returns the remote location as the client sent it. */
export function openCloneUri(stored: StoredCloneUri, vault: SecretVault): string | null {
  return stored.cloneUriSealed ? vault.open(stored.cloneUriSealed) : stored.cloneUri;
}
