import type { SecretVault } from './secret-vault.ts';

const CREDENTIALS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)@/iu;
const MASK = '*****';

/** Masks the password of a URL. A user name alone is masked in http(s) URLs, too: forges accept tokens there. */
export function maskCredentials(cloneUri: string): string {
  return cloneUri.replace(CREDENTIALS, (_match, scheme: string, userInfo: string) => {
    const colon = userInfo.indexOf(':');
    if (colon !== -1) return `${scheme}://${userInfo.slice(0, colon)}:${MASK}@`;
    return /^https?$/iu.test(scheme) ? `${scheme}://${MASK}@` : `${scheme}://${userInfo}@`;
  });
}

/**
 * Masks credentials in a text that may not be a URL; masks the whole text when a password may be elsewhere in it, such
 * as one with an unescaped `/`, with which the URL ends before the password does.
 */
export function maskSent(text: string): string {
  const colon = text.indexOf(':');
  const end = CREDENTIALS.exec(text)?.[0].length ?? colon + 1;
  const isMistyped = colon !== -1 && text.lastIndexOf('@') >= end;
  return isMistyped ? MASK : maskCredentials(text);
}

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
