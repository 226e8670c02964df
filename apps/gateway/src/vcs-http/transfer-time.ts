/** Time for which a push that has arrived waits, at most, for memory, for its repository, and to be recorded. */
const pushWaitMsMax = 120_000;

/** Returns the time for a whole transfer. Workers take as long to apply a push, at most, as it may take to arrive. */
export function transferTime(transferMsMax: number, { isPush }: { readonly isPush: boolean }): number {
  return isPush ? 2 * transferMsMax + pushWaitMsMax : transferMsMax;
}
