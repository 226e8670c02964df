/** Whether a change has a value for anything; what is undefined stays, and drizzle leaves it out by itself. */
export function changesSomething(change: object): boolean {
  return Object.values(change).some((value) => value !== undefined);
}
