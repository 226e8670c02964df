import { Content, HgMediaType, type ArgsOfMethod, type Served as ServedMethods } from '@trunkline/contracts';
import * as v from 'valibot';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { requireRepository, requireSystem } from '../../authz/require-repository.ts';
import { AskedChangesets, observeAnswer, observePieces } from '../fetches/observe-answer.ts';
import { beginAlone, type BeginAnswer } from '../../cache/vcs-answers/cached-answer.ts';
import { cloneKey } from '../../cache/vcs-answers/clone-key.ts';
import type { MethodHandler, ReadContext } from '../../methods/context.ts';
import { clientError, offerAnswer, onePiece, readAnswer, sendAnswer, type Served } from './send-answer.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

interface Sent {
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  /** Called when an answer that ends as any other tells its client of a failure. */
  readonly onRefusal?: () => void;
}

type Serve = (sent: Sent) => Promise<Served>;

type Args = ArgsOfMethod<ServedMethods['wire_read']>;

/** Returns what serves a request on a repository of the right system. */
function serveWith(
  path: string,
  args: Args,
  { uploadPack, hgProtocol }: Pick<RepositoryTools, 'uploadPack' | 'hgProtocol'>,
): Serve {
  const { request, protocol, command, caps } = args;
  return async ({ body: sent, signal, onRefusal = () => {} }) => {
    if (request === 'hg') {
      const { type, body } = await hgProtocol.serve(path, { command, caps, args: sent, onRefusal }, signal);
      return { type: v.parse(HgMediaType, type), pieces: body };
    }
    const pieces =
      request === 'git-refs'
        ? uploadPack.advertise(path, protocol, signal)
        : uploadPack.serve(path, { protocol, body: sent, onRefusal }, signal);
    return { type: null, pieces };
  };
}

/** Returns what counts a clone or fetch of the caller; clients without a login are the user `default`. */
function fetchCounter(
  { access: { user }, fetchCounts }: Pick<ReadContext, 'access'> & Pick<RepositoryTools, 'fetchCounts'>,
  { id, type }: Pick<RepositoryAccess, 'id' | 'type'>,
): () => void {
  const userId = user.username === 'default' ? null : user.id;
  return () => fetchCounts.count({ userId, repositoryId: id, system: type });
}

export const wireRead: MethodHandler<'wire_read'> = async (args, context) => {
  const { repoid, request, protocol, body, streamed } = args;
  const repository = requireRepository(context.access, repoid);
  requireSystem(repository, request === 'hg' ? 'hg' : 'git');
  const { requestId, offerTransfer, logger } = context;
  const storage = context.storages.of(repository);
  const offering = { storage, requestId, offerTransfer, logger };
  const path = storage.absolute(repository.storagePath);
  const serve = serveWith(path, args, context);
  const countFetch = fetchCounter(context, repository);
  const changesets = new AskedChangesets();
  if (streamed) {
    const serveInTurns = async ({ body: sent, signal }: Sent) => {
      const { type, pieces: served } = await serve({
        body: request === 'hg' ? changesets.observe(sent) : sent,
        signal,
      });
      const pieces = observePieces(type, served, { ...args, changesets }, countFetch);
      return { type, pieces: context.streamSlices.of(pieces, { caller: context.callerKey, signal }) };
    };
    return new Content({ offer: offerAnswer(serveInTurns, offering), type: null }, new Uint8Array());
  }
  const sent = Buffer.from(body ?? '', 'base64');
  const begin: BeginAnswer = async (signal) => {
    const isListing = request === 'git-fetch' && protocol === 2;
    const listed = isListing ? await context.uploadPack.list(path, sent) : null;
    if (listed) return { type: null, content: listed, mayBeKept: () => true };
    let isRefused = false;
    const served = await serve({ body: onePiece(sent), signal, onRefusal: () => (isRefused = true) });
    return { ...(await readAnswer(served, context, signal)), mayBeKept: () => !isRefused };
  };
  // The first answer of version 2 of git's protocol is the same for all repositories.
  const isConstant = request === 'git-refs' && protocol === 2;
  try {
    const answer = isConstant
      ? await beginAlone(begin, context.signal)
      : await context.cloneCache.get(cloneKey(repository, { ...args, body: sent }), begin, context.signal);
    const asked = { ...args, changesets: changesets.add(sent) };
    return sendAnswer(observeAnswer(answer, asked, countFetch), offering);
  } catch (error) {
    throw await clientError(error, storage);
  }
};
