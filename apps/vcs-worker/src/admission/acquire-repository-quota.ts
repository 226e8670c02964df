import { BusyError } from '@trunkline/contracts';
import type { Slot } from './lane-slots.ts';

/** A short wait: when the quota stays used up, the gateway retries and may find another worker. */
const waitMsMax = 200;

/** Counts a call's slot for a repository's quota of the lane, after a short wait without a slot where that is used up. */
export async function acquireRepositoryQuota(slot: Slot, repositoryId: number): Promise<void> {
  const key = `readers of repository ${repositoryId}`;
  if (slot.claim(key)) return;
  slot.release(key);
  if (!(await slot.reacquire(waitMsMax))) throw new BusyError({ details: { repositoryId } });
}
