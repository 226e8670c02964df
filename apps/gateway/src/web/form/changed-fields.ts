/** Returns the values that differ from the current ones, so that untouched fields are not set again. */
export function changedFields<F extends object>(values: F, current: F): Partial<F> {
  const changed: Partial<F> = { ...values };
  for (const name in changed) if (changed[name] === current[name]) delete changed[name];
  return changed;
}
