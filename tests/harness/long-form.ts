/** Whether costly suites run in their long form, which takes twice the time and more. */
const isLong = process.env['TRUNKLINE_TEST_LONG'] === '1';

/** What a costly suite takes in its short form, which is that of `npm test`, and in its long one. */
export function byForm<T>(short: T, long: T): T {
  return isLong ? long : short;
}
