import {
  BusyError,
  Content,
  type DataOffer,
  encodeError,
  InvalidRequestError,
  OperationFailedError,
  toRpcError,
  UnavailableError,
} from '@trunkline/contracts';
import type { DataRequest } from '@trunkline/runtime';
import type { Storage } from '../../storage/storage.ts';
import { MalformedRequestError } from '../../vcs/git/protocol/upload-pack.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { AnswerType, CachedAnswer } from '../../cache/vcs-answers/cached-answer.ts';
import type { ReadContext } from '../../methods/context.ts';
import { readBeginning } from './read-beginning.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

/**
 * Returns the client's error. No repository is recorded as unreadable, since git may fail for a malformed request in the
 * same way as for a damaged repository.
 */
export async function clientError(error: unknown, storage: Pick<Storage, 'isOurs'>): Promise<unknown> {
  if (!(error instanceof VcsError)) return error;
  if (error instanceof MalformedRequestError)
    return new InvalidRequestError('The request is malformed', { cause: error });
  if (error.kind === 'busy') return new BusyError({ quota: 'memory', cause: error });
  const isAway = error.kind === 'timeout' || error.kind === 'cancelled' || !(await storage.isOurs());
  if (isAway) return new UnavailableError({ cause: error });
  return new OperationFailedError('The repository cannot be read, or the request is malformed', { cause: error });
}

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

/** An answer up to this size, given within this time, is part of the reply; all others come over the data port. */
const beginning = { bytesMax: 256 * 1024, msMax: 500 };

/** Reads the beginning of an answer; the rest of a long one is computed in time slices of the caller. */
export async function readAnswer(
  { type, pieces }: Served,
  { callerKey, streamSlices }: Pick<ReadContext, 'callerKey'> & Pick<RepositoryTools, 'streamSlices'>,
  signal: AbortSignal,
): Promise<Pick<CachedAnswer, 'type' | 'content'>> {
  const begun = await readBeginning(pieces, beginning);
  const content = begun instanceof Uint8Array ? begun : streamSlices.of(begun, { caller: callerKey, signal });
  return { type, content };
}

/** Answers in the reply or, when the answer is large or takes long, offers it over the data port. */
export function sendAnswer(
  { type, content, end }: CachedAnswer,
  context: OfferContext,
): Content<{ offer: DataOffer | null; type: AnswerType }> {
  if (content instanceof Uint8Array) return new Content({ offer: null, type }, content);
  try {
    const offer = offerAnswer(async () => ({ type, pieces: content }), context, end);
    return new Content({ offer, type }, new Uint8Array());
  } catch (error) {
    end();
    throw error;
  }
}
