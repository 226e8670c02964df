import type { PasswordQueues } from './password-queues.ts';
import { SourceLookUp, type ReadKnownSources } from './source-look-up.ts';

interface Reads<User> {
  readonly knownSources: ReadKnownSources;
  readonly user: (usernameKey: string, source: string) => Promise<User | undefined>;
}

/**
 * Returns a function that finds the user of an attempt to sign in, and whether any user has signed in from its source
 * before. Anybody can make such attempts, from any number of sources: so they use three connections at most, leave
 * those that wait out of the queue of the pool, and those from unknown sources keep no others waiting.
 */
export function createFindCandidate<User>(reads: Reads<User>, queues: PasswordQueues) {
  const sources = new SourceLookUp(reads.knownSources);
  return async (usernameKey: string, source: string) => {
    const isKnownSource = await sources.isKnown(source);
    const queue = isKnownSource ? queues.known : queues.other;
    const user = await queue.run('find', source, () => reads.user(usernameKey, source));
    return { user, isKnownSource };
  };
}
