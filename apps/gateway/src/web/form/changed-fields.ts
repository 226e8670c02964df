/** The fields whose value differs from the present one, so that untouched fields are not set again. */
export function changedFields<F extends object>(sent: Partial<F>, current: F): Partial<F> {
  const changed = { ...sent };
  for (const name in changed) if (changed[name] === current[name]) delete changed[name];
  return changed;
}
