/** An address as a form may show it again: nothing of one that may hold a password. */
export function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address.includes('@') ? '' : address;
  return new URL(address).password === '' ? address : '';
}
