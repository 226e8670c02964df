import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom, type Random } from '../../harness/random.ts';

/** What came of one call: a word that is counted, or what should not have happened. */
export type Outcome = 'answered' | 'refused' | 'busy' | 'hung up' | { readonly wrong: string };

export interface Actor {
  readonly name: string;
  /** How many of its kind act at once. */
  readonly count: number;
  /** Does a few things and tells what came of each. */
  act(random: Random, tell: (outcome: Outcome) => void): Promise<void>;
}

/** Calls by actor and outcome; the first few of the wrong ones in words. */
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

/** Lets all of them act until the signal; they finish what they are doing. */
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
        // Also those whose calls fail at once leave the others a turn.
        await wait(1);
      }
    }),
  );
  await Promise.all(runs);
}
