import type { Readable } from 'node:stream';
import { BusyError, decodeAnswerOffer, decodeError, MethodNotFoundError, type RpcError } from '@trunkline/contracts';
import { BusError, DataError, type DataClient, type DataErrorReason, type LargeAnswer } from '@trunkline/runtime';

/**
 * Decodes the error in a worker's reply. A gateway sends only methods that it knows itself: a worker that does not know
 * one is of the previous release and has run nothing, so the call is sent again, as after a busy answer.
 */
export function workerError(payload: Uint8Array): RpcError {
  const error = decodeError(payload);
  return error instanceof MethodNotFoundError ? new BusyError({ quota: 'worker', cause: error }) : error;
}

/** A client may take any time, as long as it takes bytes: the longest time of a timer. */
const totalMsMax = 2 ** 31 - 1;

interface Opening {
  /** Id of the request that the offer answers. */
  readonly requestId: string;
  /** Whose share of the gateway's transfers this one counts towards. */
  readonly caller: string;
  /** Time until the answer begins. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The worker that has offered an answer is gone, or was started anew: its answer is lost as a reply would be. */
export class LostOfferError extends BusError {
  constructor(cause: unknown) {
    super('lost', cause);
  }
}

/**
 * Takes the offer of a large answer. Resolves when the answer begins; throws BusError when it does not, LostOfferError when
 * the transfer could not be opened.
 */
export type OpenAnswer = (encodedOffer: Uint8Array, opening: Opening) => Promise<LargeAnswer>;

const lostReasons: readonly DataErrorReason[] = ['unreachable', 'refused', 'cut'];

/** Waits for the first byte of an answer, or for its end; throws when there is none because the worker failed. */
export function begun(answer: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    if (answer.errored) return reject(answer.errored);
    answer.once('readable', resolve).once('end', resolve).once('error', reject);
  });
}

export function createOpenAnswer(client: Pick<DataClient, 'transfer'>): OpenAnswer {
  return async (encodedOffer, { requestId, caller, timeoutMs, signal }) => {
    const offer = decodeAnswerOffer(encodedOffer);
    if (!offer) throw new BusError('lost', new Error('the offer of an answer is malformed'));
    const ended = new AbortController();
    const end = () => ended.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    try {
      const limits = { totalMs: totalMsMax, bytesMax: offer.bytes ?? Infinity };
      const opened = client.transfer(offer, requestId, { ...limits, caller, isAnswer: true, signal: ended.signal });
      const { body } = await opened.catch((error: unknown) => {
        const isLost = error instanceof DataError && lostReasons.includes(error.reason);
        throw isLost ? new LostOfferError(error) : error;
      });
      await begun(body);
      return { length: offer.bytes, stream: body };
    } catch (error) {
      if (signal?.aborted) throw new BusError('abandoned', error);
      if (error instanceof LostOfferError) throw error;
      throw new BusError(isLate ? 'timeout' : 'lost', error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  };
}
