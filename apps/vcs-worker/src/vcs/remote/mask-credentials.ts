const CREDENTIALS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)@/iu;
const MASK = '*****';

// A lone user name of an http address is masked, too: forges accept access tokens there.
export function maskCredentials(cloneUri: string): string {
  return cloneUri.replace(CREDENTIALS, (_match, scheme: string, userInfo: string) => {
    const colon = userInfo.indexOf(':');
    if (colon !== -1) return `${scheme}://${userInfo.slice(0, colon)}:${MASK}@`;
    return /^https?$/iu.test(scheme) ? `${scheme}://${MASK}@` : `${scheme}://${userInfo}@`;
  });
}

/** Masks a text that may not be a URL; hides all of it where a password may be at another position. */
export function maskSent(text: string): string {
  const colon = text.indexOf(':');
  const isMistyped = colon !== -1 && text.lastIndexOf('@') > colon && !CREDENTIALS.test(text);
  return isMistyped ? MASK : maskCredentials(text);
}
