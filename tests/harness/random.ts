import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/** Pseudo-random samples that a seed determines. */
export interface Random {
  /** Samples an integer from 0 to `limit` - 1. */
  below(limit: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** Returns the seed of the run: TRUNKLINE_TEST_SEED to repeat a run, else a new one. */
export function chosenSeed(): number {
  return Number(process.env['TRUNKLINE_TEST_SEED'] ?? randomInt(2 ** 31));
}

/** Returns the number of rounds of a random test: TRUNKLINE_TEST_FUZZ_ROUNDS, else `fallback`. */
export function chosenRounds(fallback: number): number {
  return Number(process.env['TRUNKLINE_TEST_FUZZ_ROUNDS'] ?? fallback);
}

/** Returns the fast-check parameters for a stream: each stream has a seed of its own. */
export function sampled(seed: number, stream: number, rounds: number): { seed: number; numRuns: number } {
  return { seed: seed + stream, numRuns: rounds };
}

/** Samples from `arbitrary` in one of `cases` cases, else null. */
export function rarely<T>(cases: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: cases - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

/** Creates the samples of one stream: they do not depend on how fast the other streams of the seed sample. */
export function seededRandom(seed: number, stream: number): Random {
  let state = Math.imul(seed ^ Math.imul(stream + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: (list) => list[below(list.length)] ?? list[0] };
}

/** Samples `count` different elements of a list. */
export function someOf<T>(random: Random, list: readonly T[], count: number): T[] {
  const left = [...list];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)).flat();
}
