import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom, type Random } from '../../harness/random.ts';

/** The outcome of one call: a word that is counted, or a fault in words. */
export type Outcome = 'answered' | 'refused' | 'busy' | 'hung up' | { readonly wrong: string };

export interface Actor {
  readonly name: string;
  /** Number of copies of the actor that act at once. */
  readonly count: number;
  /** Makes a few calls and reports the outcome of each by `tell`. */
  act(random: Random, tell: (outcome: Outcome) => void): Promise<void>;
}

/** Number of calls by actor and outcome, and the first few faults in words. */
export interface Tally {
  readonly counts: Map<string, number>;
  readonly wrong: string[];
}

export function createTally(): Tally {
  return { counts: new Map(), wrong: [] };
}

const wrongShown = 20;

function count(tally: Tally, actor: string, outcome: Outcome): void {
  const word = typeof outcome === 'string' ? outcome : 'wrong';
  const name = `${actor} ${word}`;
  tally.counts.set(name, (tally.counts.get(name) ?? 0) + 1);
  if (typeof outcome === 'object' && tally.wrong.length < wrongShown) tally.wrong.push(`${actor}: ${outcome.wrong}`);
}

/** Runs all actors until the signal fires; each finishes the calls that it has begun. */
export async function runActors(
  actors: readonly Actor[],
  tally: Tally,
  seed: number,
  signal: AbortSignal,
): Promise<void> {
  const runs = actors.flatMap(({ name, count: copies, act }, at) =>
    Array.from({ length: copies }, async (_, copy) => {
      const random = seededRandom(seed, at * 100 + copy);
      while (!signal.aborted) {
        await act(random, (outcome) => count(tally, name, outcome)).catch((error: unknown) =>
          count(tally, name, { wrong: error instanceof Error ? error.message : String(error) }),
        );
        // Yields to the other actors, also when the calls of this one fail at once.
        await wait(1);
      }
    }),
  );
  await Promise.all(runs);
}
