/** True when costly suites run in their long form, which takes at least twice the time. */
const isLong = process.env['TRUNKLINE_TEST_LONG'] === '1';

/** Returns the value for the form of this run: `short` for `npm test`, `long` with TRUNKLINE_TEST_LONG=1. */
export function byForm<T>(short: T, long: T): T {
  return isLong ? long : short;
}
