/** Returns a configuration that operators copy with other values; throws when it lacks what is to be replaced. */
export function replaced(text: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((before, [pattern, to]) => {
    if (!pattern.test(before)) throw new Error(`the documented configuration lacks ${pattern}`);
    return before.replace(pattern, to);
  }, text);
}
