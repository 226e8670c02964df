import { encodeError, toRpcError, type DataOffer } from '@trunkline/contracts';
import type { DataRequest } from '@trunkline/runtime';
import type { Storage } from '../../storage/storage.ts';
import type { AnswerType } from '../../cache/vcs-answers/cached-answer.ts';
import type { ReadContext } from '../../methods/context.ts';
import { clientError } from './client-error.ts';
import { readBeginning } from './read-beginning.ts';

export interface Served {
  readonly type: AnswerType;
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface OfferContext extends Pick<ReadContext, 'requestId' | 'offerTransfer' | 'logger'> {
  /** The storage of the repository. */
  readonly storage: Pick<Storage, 'isOurs'>;
}

/** Until its first byte, however late it comes, an answer can become an error that clients are told. */
const firstByte = { bytesMax: 0, msMax: 2 ** 31 - 1 };
const failedStatus = 500;

export async function* onePiece(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  if (piece.length > 0) yield piece;
}

/**
 * Offers an answer over the data port; `serve` begins when the gateway takes it. An error before the first byte is sent
 * as on the bus, with the status 500.
 */
export function offerAnswer(
  serve: (request: DataRequest) => Promise<Served>,
  { storage, requestId, offerTransfer, logger }: OfferContext,
  ended?: () => void,
): DataOffer {
  return offerTransfer(async (request) => {
    try {
      const { type, pieces } = await serve(request);
      const begun = await readBeginning(pieces, firstByte);
      const headers = type === null ? {} : { 'Content-Type': type };
      return { headers, body: begun instanceof Uint8Array ? onePiece(begun) : begun };
    } catch (error) {
      if (request.signal.aborted) throw error;
      logger.warn({ err: error, requestId }, 'a transfer failed before its first byte');
      const told = toRpcError(await clientError(error, storage));
      return { status: failedStatus, body: onePiece(encodeError(told).payload) };
    }
  }, ended);
}
