import type { SecretVault } from '@trunkline/db';

const userInfo = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<user>[^/?#\\:]*)(?<password>:[^/?#\\]*)?@/iu;
const mask = '*****';

/** Returns a remote location as it is stored: with a mask for what may be a password, beside the sealed full URL. */
export function toStoredCloneUri(cloneUri: string | null, vault: SecretVault) {
  const masked = cloneUri?.replace(userInfo, (_found, scheme: string, user: string, password?: string) => {
    if (password !== undefined) return `${scheme}://${user}:${mask}@`;
    // Forges take a token for the name of a user.
    return /^https?$/iu.test(scheme) ? `${scheme}://${mask}@` : `${scheme}://${user}@`;
  });
  if (cloneUri === null || masked === undefined || masked === cloneUri) {
    return { cloneUri, cloneUriSealed: null, cloneUriSecretId: null };
  }
  return { cloneUri: masked, cloneUriSealed: vault.seal(cloneUri), cloneUriSecretId: vault.secretId };
}
