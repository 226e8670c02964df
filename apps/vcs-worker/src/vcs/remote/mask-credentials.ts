const CREDENTIALS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)@/iu;
const MASK = '*****';

// A lone user name of an http address is masked too: forges take access tokens in its place.
export function maskCredentials(cloneUri: string): string {
  return cloneUri.replace(CREDENTIALS, (_match, scheme: string, userInfo: string) => {
    const colon = userInfo.indexOf(':');
    if (colon !== -1) return `${scheme}://${userInfo.slice(0, colon)}:${MASK}@`;
    return /^https?$/iu.test(scheme) ? `${scheme}://${MASK}@` : `${scheme}://${userInfo}@`;
  });
}
