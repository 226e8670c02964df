import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { Clock } from '../../clock.ts';

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
