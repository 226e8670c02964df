import type { BusReply } from '@trunkline/runtime';
import { drop } from './unless-lost.ts';
import { workerError } from './worker-error.ts';

/** How long the first request may take before the second one is sent. */
const hedgeAfterMs = 1_000;

/** Returns whether a reply answers the call; `busy` and `unavailable` only say that this worker cannot run the call. */
function isAnswer({ payload, isError }: BusReply): boolean {
  return !isError || !['busy', 'unavailable'].includes(workerError(payload).code);
}

/**
 * Hedges a request: when the first request has no reply after a second, a second one is sent, and the reply that comes
 * first counts; a later one is dropped. Of the second request only an answer counts, no refusal and no failure; a
 * refusal of the first one counts when the second has ended without an answer.
 */
export function hedge(
  first: Promise<BusReply>,
  sendSecond: (isAnswered: () => boolean) => Promise<BusReply | null>,
): Promise<BusReply> {
  return new Promise((resolve, reject) => {
    let answered = false;
    let isSecondPending = false;
    let refusal: BusReply | null = null;
    const end = (settle: () => void) => {
      answered = true;
      clearTimeout(timer);
      settle();
    };
    const take = (reply: BusReply) => (answered ? drop(reply) : end(() => resolve(reply)));
    const takeFirst = (reply: BusReply) => {
      if (isSecondPending && !isAnswer(reply)) refusal = reply;
      else take(reply);
    };
    const endSecond = (reply: BusReply | null) => {
      isSecondPending = false;
      if (reply && isAnswer(reply)) take(reply);
      else if (refusal) take(refusal);
    };
    const timer = setTimeout(() => {
      isSecondPending = true;
      sendSecond(() => answered).then(endSecond, () => endSecond(null));
    }, hedgeAfterMs);
    first.then(takeFirst, (error: unknown) => {
      if (!answered) end(() => reject(error instanceof Error ? error : new Error(String(error))));
    });
  });
}
