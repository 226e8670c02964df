/** A remote location that a form may show again; empty for one that may hold a password. */
export function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address.includes('@') ? '' : address;
  return new URL(address).password === '' ? address : '';
}
