/**
 * Returns the p-value of the two-sided Mann-Whitney test, approximated for large samples: how likely samples this
 * different are when both come from one distribution.
 */
export function mannWhitneyPValue(a: readonly number[], b: readonly number[]): number {
  const smaller = a.flatMap((x): number[] => b.map((y) => (x < y ? 1 : x === y ? 0.5 : 0)));
  const u = smaller.reduce((sum, one) => sum + one, 0);
  const product = a.length * b.length;
  const z = Math.abs(u - product / 2) / Math.sqrt((product * (a.length + b.length + 1)) / 12);
  return tail(z);
}

/** Returns both tails of the normal distribution together (Abramowitz and Stegun 26.2.17). */
function tail(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const series = [0.319_381_53, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
  const sum = series.reduce((total, factor, index) => total + factor * t ** (index + 1), 0);
  return (2 * sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}
