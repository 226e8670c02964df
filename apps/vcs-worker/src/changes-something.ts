/** Returns whether a member is defined: drizzle leaves undefined members out, and an update needs at least one. */
export function changesSomething(change: object): boolean {
  return Object.values(change).some((value) => value !== undefined);
}
