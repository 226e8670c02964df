import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { Clock } from '../../clock.ts';
import type { PasswordQueues } from './password-queues.ts';

/** Returns those of the sources that are known. */
type ReadKnownSources = (sources: readonly string[]) => Promise<ReadonlySet<string>>;

/** Looks sources up, one query at a time: the next query asks for all sources that have come meanwhile. */
export class SourceLookUp {
  readonly #read: ReadKnownSources;
  #waiting = new Set<string>();
  /** The query that the waiting sources share; null when none waits. */
  #next: Promise<ReadonlySet<string>> | null = null;
  #present: Promise<unknown> = Promise.resolve();

  constructor(read: ReadKnownSources) {
    this.#read = read;
  }

  async isKnown(source: string): Promise<boolean> {
    this.#waiting.add(source);
    this.#next ??= this.#readNext();
    return (await this.#next).has(source);
  }

  async #readNext(): Promise<ReadonlySet<string>> {
    await this.#present.catch(() => {});
    const sources = [...this.#waiting];
    this.#waiting = new Set();
    this.#next = null;
    const reading = this.#read(sources);
    this.#present = reading;
    return reading;
  }
}

const keptMs = 60_000;

/**
 * Returns a function that tells whether any user has a password hash of another program. The answer is kept for a
 * minute, and one query serves all who ask.
 */
export function createForeignHashes(clock: Clock, read: () => Promise<boolean>): () => Promise<boolean> {
  const reads = new SingleFlight<boolean>();
  let kept: { readonly answer: boolean; readonly until: number } | null = null;
  return async () => {
    if (kept && clock.now() < kept.until) return kept.answer;
    return reads.run('', async () => {
      const answer = await read();
      kept = { answer, until: clock.now() + keptMs };
      return answer;
    });
  };
}

interface Reads<User> {
  readonly knownSources: ReadKnownSources;
  readonly user: (loginKey: string, source: string) => Promise<User | undefined>;
}

/**
 * Returns a function that finds the user of an attempt to sign in, and whether any user has signed in from its source
 * before. Anybody can make such attempts, from any number of sources: so they use three connections at most, leave
 * those that wait out of the queue of the pool, and those from unknown sources keep no others waiting.
 */
export function createFindCandidate<User>(reads: Reads<User>, queues: PasswordQueues) {
  const sources = new SourceLookUp(reads.knownSources);
  return async (loginKey: string, source: string) => {
    const isKnownSource = await sources.isKnown(source);
    const queue = isKnownSource ? queues.known : queues.other;
    const user = await queue.run('find', source, () => reads.user(loginKey, source));
    return { user, isKnownSource };
  };
}
