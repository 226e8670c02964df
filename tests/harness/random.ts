import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/** Draws that a seed determines. */
export interface Random {
  /** A whole number from 0, below this one. */
  below(limit: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** The seed to repeat a run with, or a new one. */
export function chosenSeed(): number {
  return Number(process.env['TRUNKLINE_TEST_SEED'] ?? randomInt(2 ** 31));
}

/** How many rounds a random test makes: so many as it names itself, unless somebody wants more. */
export function chosenRounds(fallback: number): number {
  return Number(process.env['TRUNKLINE_TEST_FUZZ_ROUNDS'] ?? fallback);
}

/** Draws of fast-check that a seed determines; each stream has its own. */
export function drawn(seed: number, stream: number, rounds: number): { seed: number; numRuns: number } {
  return { seed: seed + stream, numRuns: rounds };
}

/** In one case of so many; in the others null. */
export function rarely<T>(cases: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: cases - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

/** Several of one seed, one for each stream: what one draws does not depend on how fast the others are. */
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
