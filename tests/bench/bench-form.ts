import { chosenSeed } from '../harness/random.ts';

/** True in the short form of the benchmarks, for trying them: its figures mean little, and are not kept. */
export const isShort = process.env['TRUNKLINE_TEST_BENCH_SHORT'] === '1';

export const roundCount = isShort ? 2 : 5;
/** Seconds of each measured load. */
export const loadSeconds = isShort ? 0.3 : 2;

/** Seed of this file's samples; each connection has a stream of its own. */
export const seed = chosenSeed();
