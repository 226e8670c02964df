/** Returns a signal that aborts when one of two does, of which either may be absent. */
export function anySignal(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}
