/** Returns about how many bytes the texts of a value have: those that can make it large. */
export function textBytes(value: unknown): number {
  // Characters beyond ASCII have two to four bytes, so this is the most that they need in memory.
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce<number>((sum, member) => sum + textBytes(member), 8);
}
