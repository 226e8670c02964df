import { byForm } from './long-form.ts';
import { chosenSeed, seededRandom, someOf } from './random.ts';

/** One for all draws, so that TRUNKLINE_TEST_SEED repeats those of a file. */
const seed = chosenSeed();

/** Returns the cases of this run: all, or, in a short run, as many as `count` says, which the seed draws in their order. */
export function drawCases<T>(cases: readonly T[], count: number): readonly T[] {
  console.log(`TRUNKLINE_TEST_SEED=${seed}`);
  const drawn = new Set(someOf(seededRandom(seed, 0), cases, count));
  return byForm(
    cases.filter((one) => drawn.has(one)),
    cases,
  );
}

/** Returns the function that says which of the named tests a short run leaves out: those that the seed does not draw. */
export function leftOut<T extends string>(names: readonly T[], count: number): (name: T) => boolean {
  const drawn = drawCases(names, count);
  return (name) => !drawn.includes(name);
}
