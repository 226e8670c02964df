import { BusyError, encodeResult } from '@trunkline/contracts';
import { acquireRepositoryQuota } from '../admission/acquire-repository-quota.ts';
import type { Access } from '../../authz/authorize.ts';
import { EncodedReply, replyKey } from '../../cache/reply-cache.ts';
import { isUnchanged } from '../../cache/unchanged-store.ts';
import type { Call } from './call.ts';
import { requireRepositoryService } from './require-repository-service.ts';

/**
 * Answers a read whose reply is cached by the repository's generation. Each call reads the rights of its own caller first.
 * Only the call that makes a reply needs a slot, which it holds until the reply is made, even if its client goes.
 */
export async function cachedRead(
  call: Call,
  args: object,
  run: (access: Access, signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const { slot, signal } = call.frame;
  const { db } = call.environment;
  const access = await call.authorized(db);
  const { repository } = access;
  if (!repository) return run(access, signal);
  const { replyCache, isShortOfMemory } = requireRepositoryService(call).tools;
  const key = replyKey(call.method.name, args, repository);
  if (!replyCache.has(key) && !replyCache.isMaking(key)) {
    if (isShortOfMemory()) throw new BusyError({ quota: 'memory' });
    await slot.take();
    await acquireRepositoryQuota(slot, repository.id);
  }
  if (replyCache.isMaking(key)) slot.releaseToWait(`reply ${key.digest}`);
  const make = (shared: AbortSignal) => {
    const made = run(access, shared).then((result) => encodeResult(result).payload);
    slot.keepFor(made);
    return made;
  };
  const wanted = { make, isUnchanged: () => isUnchanged(db, repository) };
  return new EncodedReply(await replyCache.get(key, wanted, signal));
}
