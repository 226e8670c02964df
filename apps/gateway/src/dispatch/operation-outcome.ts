import { randomUUID } from 'node:crypto';
import { decodeError, OperationFailedError, OutcomeUnknownError, views } from '@trunkline/contracts';
import type { BusReply, EndWatch } from '@trunkline/runtime';
import type { Clock } from '../clock.ts';
import { readWhole, type Command, type Dispatch } from './command.ts';

/** Time that an operation's worker has to answer after the end, before the gateway reads the result itself. */
const answerGraceMs = 1_000;
/** The result of `view_operation_result` while the operation runs. */
const nullJson = Buffer.from('null');

interface OutcomeTools {
  readonly endWatch: Pick<EndWatch, 'watch'>;
  readonly dispatch: Dispatch;
  readonly clock: Clock;
}

function isOutcomeUnknown({ payload, isError }: BusReply): boolean {
  return isError && decodeError(payload) instanceof OutcomeUnknownError;
}

/** Sends a call with `request`; the signal aborts when the call has been answered. */
type AnswerOrOutcome = (command: Command, request: (signal: AbortSignal) => Promise<BusReply>) => Promise<BusReply>;

/**
 * Returns a function that answers a call with its worker's reply or, if that worker died or was fenced, with the
 * operation's result as any worker reads it; whichever comes first.
 */
export function createAnswerOrOutcome({ endWatch, dispatch, clock }: OutcomeTools): AnswerOrOutcome {
  /** Returns the result of an operation that has ended, null otherwise; throws the error of one that failed. */
  const readResult = async ({ requestId, caller }: Command): Promise<BusReply | null> => {
    const method = views.view_operation_result;
    const args = { operation_id: requestId };
    try {
      const outcome = await dispatch({ method, lane: method.lane, args, caller, requestId: randomUUID() });
      const payload = await readWhole(outcome);
      return nullJson.equals(payload) ? null : { payload, isError: false };
    } catch (error) {
      if (error instanceof OperationFailedError) throw error;
      return null;
    }
  };

  /** Settles when the operation has ended and its call is still not answered. */
  const outcomeOf = (command: Command, answered: AbortSignal): Promise<BusReply> =>
    new Promise((resolve, reject) => {
      let mayHaveEnded = false;
      let reading = false;
      /** Reads the result after each notice of a possible end; notices during a read cause one more. */
      const readAfterNotice = async () => {
        mayHaveEnded = true;
        if (reading) return;
        reading = true;
        while (mayHaveEnded && !answered.aborted) {
          mayHaveEnded = false;
          await clock.sleep(answerGraceMs, answered);
          const outcome = await readResult(command);
          if (outcome) resolve(outcome);
        }
        reading = false;
      };
      // `readAfterNotice` also rejects when `answered` aborts its sleep; the promise is not awaited by then.
      const onNotice = () => void readAfterNotice().catch(reject);
      const unwatch = endWatch.watch({ kind: 'operation', id: command.requestId }, onNotice);
      answered.addEventListener('abort', unwatch, { once: true });
    });

  return async (command, request) => {
    const answered = new AbortController();
    try {
      const reply = await Promise.race([request(answered.signal), outcomeOf(command, answered.signal)]);
      // A fenced worker does not know the outcome; the operation may already have ended on another worker.
      return (isOutcomeUnknown(reply) && (await readResult(command))) || reply;
    } finally {
      answered.abort();
    }
  };
}
