import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';
import { SourceLookUp, type ReadKnownSources } from './source-look-up.ts';

interface Reads<User> {
  readonly knownSources: ReadKnownSources;
  readonly user: (usernameKey: string, source: string) => Promise<User | undefined>;
}

const waitMsMax = 3_000;
const refuse = () => new BusyError({ quota: 'passwords' });
const createQueue = (queueMax: number) => new Semaphore({ limit: 1, queueMax, queueMaxPerCaller: 20, refuse });

/**
 * Returns a function that finds the user of an attempt to sign in, and whether any user has signed in from its source
 * before. Anybody can make such attempts, from any number of sources: so they use three connections at most, leave
 * those that wait out of the queue of the pool, and those from unknown sources keep no others waiting.
 */
export function createFindCandidate<User>(reads: Reads<User>) {
  const sources = new SourceLookUp(reads.knownSources);
  const queues = { known: createQueue(1_000), other: createQueue(100) };
  return async (usernameKey: string, source: string) => {
    const isKnownSource = await sources.isKnown(source);
    const queue = isKnownSource ? queues.known : queues.other;
    const limits = { caller: source, timeoutMs: waitMsMax };
    const user = await queue.run(() => reads.user(usernameKey, source), limits);
    return { user, isKnownSource };
  };
}
