/**
 * Returns one of the items at random, each as often as its weight says; undefined when no item has a weight. `random`
 * returns a number from 0 to below 1.
 */
export function sampleByWeight<T>(
  items: readonly T[],
  weightOf: (item: T) => number,
  random: () => number,
): T | undefined {
  const weights = items.map(weightOf);
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  return items.find((_, at) => {
    left -= weights[at] ?? 0;
    return left < 0;
  });
}
