import {
  BusyError,
  Content,
  HgMediaType,
  OperationFailedError,
  UnavailableError,
  type ArgsOfMethod,
  type DataOffer,
  type Served as ServedMethods,
} from '@trunkline/contracts';
import * as v from 'valibot';
import { repositoryNotFound } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import type { Storage } from '../../storage/storage.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { ByteTools, MethodHandler, ReadContext } from '../context.ts';
import { readBeginning } from './read-beginning.ts';

/** An answer up to this size, given within this time, is part of the reply; all others come over the data port. */
const beginning = { bytesMax: 256 * 1024, msMax: 500 };

interface Served {
  /** Media type, where the request does not determine it. */
  readonly type: v.InferOutput<typeof HgMediaType> | null;
  readonly pieces: AsyncIterable<Uint8Array>;
}

type Serve = (body: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<Served>;

type Args = ArgsOfMethod<ServedMethods['wire_read']>;

async function* onePiece(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}

/**
 * Returns the client's error. No repository is noted as unreadable, since a malformed request makes git fail in the
 * same way as a damaged repository does.
 */
export async function clientError(error: unknown, storage: Pick<Storage, 'isOurs'>): Promise<unknown> {
  if (!(error instanceof VcsError)) return error;
  if (error.kind === 'busy') return new BusyError({ cause: error });
  const isAway = error.kind === 'timeout' || error.kind === 'cancelled' || !(await storage.isOurs());
  if (isAway) return new UnavailableError({ cause: error });
  return new OperationFailedError('The repository cannot be read, or the request is malformed', { cause: error });
}

/** Answers in the reply or, when the answer is large or takes long, offers it over the data port. */
export async function answer(
  serve: (signal: AbortSignal) => Promise<Served>,
  { signal, callerKey, streamTurns, offerTransfer }: ReadContext & Pick<ByteTools, 'streamTurns'>,
): Promise<Content<{ offer: DataOffer | null; type: Served['type'] }>> {
  // The work outlives the call when it is offered: then it ends with the transfer.
  const work = new AbortController();
  const stop = () => work.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const { type, pieces } = await serve(work.signal);
    const begun = await readBeginning(pieces, beginning);
    if (begun instanceof Uint8Array) return new Content({ offer: null, type }, begun);
    const body = streamTurns.of(begun, { caller: callerKey, signal: work.signal });
    const offer = offerTransfer(
      async () => ({ body }),
      () => work.abort(),
    );
    return new Content({ offer, type }, new Uint8Array());
  } catch (error) {
    work.abort();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Returns what serves a request on a repository of the right system. */
function serveWith(path: string, args: Args, { uploadPack, hgWire }: Pick<ByteTools, 'uploadPack' | 'hgWire'>): Serve {
  const { request, protocol, command, caps } = args;
  return async (sent, signal) => {
    if (request === 'hg') {
      const { type, body } = await hgWire.serve(path, { command, caps, args: sent }, signal);
      return { type: v.parse(HgMediaType, type), pieces: body };
    }
    const pieces =
      request === 'git-refs'
        ? uploadPack.advertise(path, protocol, signal)
        : uploadPack.serve(path, { protocol, body: sent }, signal);
    return { type: null, pieces };
  };
}

export const wireRead: MethodHandler<'wire_read'> = async (args, context) => {
  const { repoid, request, body, streamed } = args;
  const repository = requireRepository(context.access, repoid);
  if (!request.startsWith(repository.type)) throw repositoryNotFound(repoid);
  const storage = context.storages.of(repository);
  const path = storage.absolute(repository.storagePath);
  const serve = serveWith(path, args, context);
  if (streamed) {
    const offer = context.offerTransfer(async ({ body: sent, signal }) => {
      const { type, pieces } = await serve(sent, signal);
      const headers = type === null ? {} : { 'Content-Type': type };
      return { headers, body: context.streamTurns.of(pieces, { caller: context.callerKey, signal }) };
    });
    return new Content({ offer, type: null }, new Uint8Array());
  }
  const sent = onePiece(Buffer.from(body ?? '', 'base64'));
  try {
    return await answer((signal) => serve(sent, signal), context);
  } catch (error) {
    throw await clientError(error, storage);
  }
};
