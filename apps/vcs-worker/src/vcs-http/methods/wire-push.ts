import { Content } from '@trunkline/contracts';
import { requireRepository, requireSystem, requireWriter } from '../../authz/require-repository.ts';
import { receiveHgPush } from '../push/receive-hg-push.ts';
import { receivePush } from '../push/receive-push.ts';
import { requireUnlocked } from '../../domain/repo/repository-lock-store.ts';
import { requireWritable } from '../../storage/require-storage.ts';
import { beginAlone } from '../../cache/vcs-answers/cached-answer.ts';
import type { MethodHandler } from '../../methods/context.ts';
import { clientError, readAnswer, sendAnswer } from './send-answer.ts';

export const wirePush: MethodHandler<'wire_push'> = async ({ repoid: ref, request, ...sent }, context) => {
  const { db, access, requestId, offerTransfer, logger } = context;
  // Before the right to write: no right makes it the other system.
  requireSystem(requireRepository(access, ref), request === 'hg-push' ? 'hg' : 'git');
  const repository = requireWriter(access, ref);
  await requireUnlocked(db, repository, access.user);
  await requireWritable(db, repository.storageId);
  const storage = context.storages.of(repository);
  if (request !== 'git-push-refs') {
    const offer = context.offerTransfer(async (transfer) => {
      const push = { ...transfer, ref, repository };
      return { body: request === 'git-push' ? receivePush(context, push) : receiveHgPush(context, push, sent) };
    });
    return new Content({ offer, type: null }, new Uint8Array());
  }
  const path = storage.absolute(repository.storagePath);
  try {
    const begin = (signal: AbortSignal) =>
      readAnswer({ type: null, pieces: context.receivePack.advertise(path, signal) }, context, signal);
    return sendAnswer(await beginAlone(begin, context.signal), { storage, requestId, offerTransfer, logger });
  } catch (error) {
    throw await clientError(error, storage);
  }
};
