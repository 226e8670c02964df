import { BusyError, encodeResult } from '@trunkline/contracts';
import { acquireRepositoryQuota } from '../admission/acquire-repository-quota.ts';
import type { Access } from '../../authz/authorize.ts';
import { KeptReply } from '../../cache/replies/kept-reply.ts';
import { replyKey } from '../../cache/replies/reply-key.ts';
import { isUnchanged } from '../../cache/replies/unchanged-store.ts';
import type { Call } from './call.ts';
import { requireRepositoryService } from './require-repository-service.ts';

/**
 * Answers a read whose reply is kept by the repository's generation. Each call reads the rights of its own caller first.
 * Only the call that makes a reply needs a slot, which it holds until the reply is made, even if its client goes.
 */
export async function keptRead(
  call: Call,
  args: object,
  run: (access: Access, signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const { slot, signal } = call.frame;
  const { db } = call.environment;
  const access = await call.authorized(db);
  const { repository } = access;
  if (!repository) return run(access, signal);
  const { keptReplies, isShortOfMemory } = requireRepositoryService(call).tools;
  const key = replyKey(call.method.name, args, repository);
  if (!keptReplies.isKept(key) && !keptReplies.isMaking(key)) {
    if (isShortOfMemory()) throw new BusyError({ quota: 'memory' });
    await slot.take();
    await acquireRepositoryQuota(slot, repository.id);
  }
  if (keptReplies.isMaking(key)) slot.releaseToWait(`reply ${key.digest}`);
  const make = (shared: AbortSignal) => {
    const made = run(access, shared).then((result) => encodeResult(result).payload);
    slot.keepFor(made);
    return made;
  };
  const wanted = { make, isUnchanged: () => isUnchanged(db, repository) };
  return new KeptReply(await keptReplies.get(key, wanted, signal));
}
