import { decodeError } from '@trunkline/contracts';
import type { BusReply } from '@trunkline/runtime';

const patienceMs = 1_000;

/** Whether it says anything of the call, rather than of the worker that was asked. */
function isAnswer({ payload, isError }: BusReply): boolean {
  return !isError || !['busy', 'unavailable'].includes(decodeError(payload).code);
}

/** A large answer stays in its worker until it is taken or declined. */
function drop({ payload }: BusReply): void {
  if (!(payload instanceof Uint8Array)) payload.stream.destroy();
}

/**
 * The first answer to a question that is put once more when none has come after a second. The second question ends with
 * the first: only an answer to it counts, and whatever comes after the answer is dropped.
 */
export function askAgain(
  first: Promise<BusReply>,
  again: (isAnswered: () => boolean) => Promise<BusReply | null>,
): Promise<BusReply> {
  return new Promise((resolve, reject) => {
    let answered = false;
    const end = (settle: () => void) => {
      answered = true;
      clearTimeout(timer);
      settle();
    };
    const take = (reply: BusReply) => (answered ? drop(reply) : end(() => resolve(reply)));
    const timer = setTimeout(() => {
      again(() => answered).then(
        (reply) => {
          if (reply && isAnswer(reply)) take(reply);
        },
        () => {},
      );
    }, patienceMs);
    first.then(take, (error: unknown) => {
      if (!answered) end(() => reject(error instanceof Error ? error : new Error(String(error))));
    });
  });
}
