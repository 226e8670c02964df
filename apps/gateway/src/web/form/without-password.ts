/**
 * Returns the URL of a remote that a form may show again; empty for a URL with a password, and for any other text with
 * an `@` that is no URL.
 */
export function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address.includes('@') ? '' : address;
  return new URL(address).password === '' ? address : '';
}
