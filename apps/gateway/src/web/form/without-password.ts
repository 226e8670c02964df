const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Returns the URL of a remote that a form may show again; empty for a URL with a password, and for any other text with
 * an `@`. A text without `//` is no such URL, although `ada:secret@host` can be read as one with the scheme `ada`.
 */
export function withoutPassword(address: string): string {
  if (!schemeAndHost.test(address) || !URL.canParse(address)) return address.includes('@') ? '' : address;
  return new URL(address).password === '' ? address : '';
}
