/** What the form says otherwise than it is: what was left alone must not be set again. */
export function changedFields<F extends object>(sent: Partial<F>, current: F): Partial<F> {
  const changed = { ...sent };
  for (const name in changed) if (changed[name] === current[name]) delete changed[name];
  return changed;
}
