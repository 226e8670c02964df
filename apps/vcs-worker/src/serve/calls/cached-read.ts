import { BusyError, encodeResult } from '@trunkline/contracts';
import { acquireRepositoryQuota } from '../admission/lane-slots.ts';
import type { Access, RepositoryAccess } from '../../authz/authorize.ts';
import { EncodedReply, replyKey } from '../../cache/reply-cache.ts';
import { isUnchanged } from '../../cache/unchanged-store.ts';
import { requireRepositoryService, type Call } from './call.ts';

/** Limit of the wait for a slot that was given up while another call made a reply, in milliseconds. */
const reacquireMsMax = 200;

/**
 * Returns a reply that is cached by the repository's generation, or makes it by `makeResult`. Only the call that makes a reply
 * needs a slot, which it holds until the reply is made, even if its client goes.
 */
export async function cachedReply(
  call: Call,
  repository: RepositoryAccess,
  { name, args }: { readonly name: string; readonly args: object },
  makeResult: (signal: AbortSignal) => Promise<unknown>,
): Promise<Uint8Array> {
  const { slot, signal } = call.frame;
  const { db } = call.environment;
  const { replyCache, isShortOfMemory } = requireRepositoryService(call).tools;
  const key = replyKey(name, args, repository);
  if (!replyCache.has(key) && !replyCache.isMaking(key)) {
    if (isShortOfMemory()) throw new BusyError({ quota: 'memory' });
    await slot.take();
    // A call that reads several replies may have given its slot up to wait for an earlier one.
    if (!(await slot.reacquire(reacquireMsMax))) throw new BusyError({ quota: 'slots' });
    await acquireRepositoryQuota(slot, repository.id);
  }
  if (replyCache.isMaking(key)) slot.releaseToWait(`reply ${key.digest}`);
  const make = (shared: AbortSignal) => {
    const made = makeResult(shared).then((result) => encodeResult(result).payload);
    slot.keepFor(made);
    return made;
  };
  return replyCache.get(key, { make, isUnchanged: () => isUnchanged(db, repository) }, signal);
}

/** Answers a read whose reply is cached. Each call reads the rights of its own caller first. */
export async function cachedRead(
  call: Call,
  args: object,
  makeResult: (access: Access, signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const access = await call.authorized(call.environment.db);
  const { repository } = access;
  if (!repository) return makeResult(access, call.frame.signal);
  const key = { name: call.method.name, args };
  return new EncodedReply(await cachedReply(call, repository, key, (shared) => makeResult(access, shared)));
}
