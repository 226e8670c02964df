import { BusyError } from '@trunkline/contracts';
import type { Slot } from './lane-slots.ts';

/** Limit of the wait, in milliseconds. The gateway retries a call that is still refused, perhaps on another worker. */
const waitMsMax = 200;

/**
 * Counts a call's slot against the repository's quota of the lane. When the quota is used up, releases the slot, waits
 * briefly for a new one, and throws BusyError when there is none.
 */
export async function acquireRepositoryQuota(slot: Slot, repositoryId: number): Promise<void> {
  const key = `readers of repository ${repositoryId}`;
  if (slot.claim(key)) return;
  slot.releaseToWait(key);
  if (!(await slot.reacquire(waitMsMax))) throw new BusyError({ quota: 'repository', details: { repositoryId } });
}
