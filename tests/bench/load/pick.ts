import type { Random } from '../../harness/random.ts';

/** Samples an element of a list, which must have one. */
export function pickFrom<T>(list: readonly T[], random: Random): T {
  const [first, ...others] = list;
  if (first === undefined) throw new Error('an empty list');
  return random.pick([first, ...others]);
}
