import { BusyError } from '@trunkline/contracts';
import type { Slot } from './lane-slots.ts';

/** A place of the repository's share is free in a moment, or not soon: then the call may find another worker. */
const turnMsMax = 200;

/** Takes part in a repository's share of the lane, after a short wait without a slot where that is used up. */
export async function acquireRepositoryQuota(slot: Slot, repositoryId: number): Promise<void> {
  const quotaKey = `readers of repository ${repositoryId}`;
  if (slot.claim(quotaKey)) return;
  slot.release(quotaKey);
  if (!(await slot.reacquire(turnMsMax))) throw new BusyError({ details: { repositoryId } });
}
