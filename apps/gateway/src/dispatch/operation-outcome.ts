import { randomUUID } from 'node:crypto';
import { decodeError, OperationFailedError, OutcomeUnknownError, views } from '@trunkline/contracts';
import type { BusReply, EndWatch } from '@trunkline/runtime';
import type { Clock } from '../clock.ts';
import type { Command, Dispatch } from './dispatch.ts';

/** How long the worker that runs an operation has to answer its call after the end, before another worker is asked. */
const answerMsMax = 1_000;
/** The view's result while the operation runs. */
const nothing = Buffer.from('null');

interface OutcomeTools {
  readonly ends: Pick<EndWatch, 'watch'>;
  readonly dispatch: Dispatch;
  readonly clock: Clock;
}

function isOutcomeUnknown({ payload, isError }: BusReply): boolean {
  return isError && decodeError(payload) instanceof OutcomeUnknownError;
}

/**
 * Requests an answer to a call whose operation survives its worker; the signal fires when the answer is no longer
 * needed.
 */
type AnswerOrOutcome = (command: Command, request: (signal: AbortSignal) => Promise<BusReply>) => Promise<BusReply>;

/**
 * The answer of the worker or, when that has died or no longer holds the operation, what another one says of its end.
 * Whichever comes first is the call's only answer.
 */
export function answerOrOutcome({ ends, dispatch, clock }: OutcomeTools): AnswerOrOutcome {
  /** The result of an operation that has ended, null otherwise; throws the error of one that failed. */
  const look = async ({ requestId, caller }: Command): Promise<BusReply | null> => {
    const method = views.view_operation_result;
    const args = { operation_id: requestId };
    try {
      const payload = await dispatch({ method, lane: method.lane, args, caller, requestId: randomUUID() });
      return payload instanceof Uint8Array && !nothing.equals(payload) ? { payload, isError: false } : null;
    } catch (error) {
      if (error instanceof OperationFailedError) throw error;
      return null;
    }
  };

  /** Settles when the operation has ended and its call is still not answered. */
  const outcomeOf = (command: Command, answered: AbortSignal): Promise<BusReply> =>
    new Promise((resolve, reject) => {
      let mayHaveEnded = false;
      let looking = false;
      const lookInTurn = async () => {
        mayHaveEnded = true;
        if (looking) return;
        looking = true;
        while (mayHaveEnded && !answered.aborted) {
          mayHaveEnded = false;
          await clock.sleep(answerMsMax, answered);
          const outcome = await look(command);
          if (outcome) resolve(outcome);
        }
        looking = false;
      };
      // It also rejects when it is no longer needed.
      const leave = ends.watch({ kind: 'operation', id: command.requestId }, () => void lookInTurn().catch(reject));
      answered.addEventListener('abort', leave, { once: true });
    });

  return async (command, request) => {
    const answered = new AbortController();
    try {
      const reply = await Promise.race([request(answered.signal), outcomeOf(command, answered.signal)]);
      return (isOutcomeUnknown(reply) && (await look(command))) || reply;
    } finally {
      answered.abort();
    }
  };
}
