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
