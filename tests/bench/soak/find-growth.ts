import type { Sample } from './take-sample.ts';

/** Figures that are the same whenever nothing is going on, but for so much. */
const atRest: readonly (readonly [RegExp, number])[] = [
  // A pool of command servers may not have been full before.
  [/ children$/, 4],
  [/ zombies$/, 0],
  // Connections of pools to database, bus and each other; a descriptor a call would be thousands.
  [/ descriptors$/, 40],
  [/^postgres processes$/, 20],
  [/^rows of (?:sessions|api_keys|users|user_groups|user_group_members|user_emails|user_ip_addresses)$/, 0],
  [/^temporary files$/, 8],
];

/** What must be nothing when nothing is going on. */
const nothing = [
  'database locks',
  'idle in transaction',
  'running operations',
  'directories in @staging',
  'directories in @trash',
];

/** So much more memory at the end than after the warm-up is no leak: heaps are collected late. */
const growthMbMax = 48;
const growthShareMax = 0.25;

export function findGrowth(before: Sample, after: Sample): string[] {
  return Object.entries(after).flatMap(([name, value]) => {
    const was = before[name] ?? 0;
    const told = `${name}: ${Math.round(was)} after the warm-up, ${Math.round(value)} at the end`;
    if (nothing.includes(name)) return value > 0 ? [told] : [];
    if (name.endsWith(' MB')) return value - was > Math.max(growthMbMax, was * growthShareMax) ? [told] : [];
    const slack = atRest.find(([pattern]) => pattern.test(name))?.[1];
    return slack !== undefined && value - was > slack ? [told] : [];
  });
}

/** What a figure grows by in an hour, by least squares over samples `intervalSeconds` apart. */
export function slopePerHour(values: readonly number[], intervalSeconds: number): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let above = 0;
  let below = 0;
  for (const [at, value] of values.entries()) {
    above += (at - middle) * (value - mean);
    below += (at - middle) ** 2;
  }
  return below === 0 ? 0 : (above / below) * (3_600 / intervalSeconds);
}
