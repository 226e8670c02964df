import { isOfSlots } from './sample-slots.ts';
import type { Sample } from './take-sample.ts';

/** Figures that are equal whenever nothing runs, each with the growth that is allowed. */
const atRest: readonly (readonly [RegExp, number])[] = [
  // A pool of command servers may not have been full at the warm-up.
  [/ children$/, 4],
  [/ zombies$/, 0],
  // Pooled connections to database, bus and each other; a leak of one descriptor a call would be thousands.
  [/ descriptors$/, 40],
  [/^postgres processes$/, 20],
  [/^rows of (?:sessions|api_keys|users|user_groups|user_group_members|user_emails|user_ip_addresses)$/, 0],
  [/^temporary files$/, 8],
];

/** Figures that must be 0 when nothing runs. */
const nothing = [
  'database locks',
  'idle in transaction',
  'running operations',
  'directories in @staging',
  'directories in @trash',
];

/** Growth of memory from the warm-up to the end that counts as no leak, since not all memory that was freed is given back. */
const growthMbMax = 48;
const growthShareMax = 0.25;
/** Growth of what a gateway or worker has in use after its garbage has been collected: caches fill up. */
const usedGrowthMbMax = 16;
/** A worker's two command servers of Mercurial grow from 25 MB to 150 MB each, and are then followed by new ones. */
const childrenGrowthMbMax = 250;

export function findGrowth(before: Sample, after: Sample): string[] {
  return Object.entries(after).flatMap(([name, value]) => {
    const was = before[name] ?? 0;
    const told = `${name}: ${Math.round(was)} after the warm-up, ${Math.round(value)} at the end`;
    if (nothing.includes(name) || isOfSlots(name)) return value > 0 ? [told] : [];
    if (name.endsWith(' children MB')) return value - was > childrenGrowthMbMax ? [told] : [];
    if (name.endsWith(' used MB')) return value - was > usedGrowthMbMax ? [told] : [];
    if (name.endsWith(' MB')) return value - was > Math.max(growthMbMax, was * growthShareMax) ? [told] : [];
    const slack = atRest.find(([pattern]) => pattern.test(name))?.[1];
    return slack !== undefined && value - was > slack ? [told] : [];
  });
}

/** Returns the growth of a figure in an hour, by least squares over samples `intervalSeconds` apart. */
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
