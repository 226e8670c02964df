import { BusyError } from '@trunkline/contracts';
import type { Slot } from './lane-slots.ts';

/** A place of the repository's share is free in a moment, or not soon: then the call may find another worker. */
const turnMsMax = 200;

/** Takes part in a repository's share of the lane, after a short wait without a slot where that is used up. */
export async function joinShare(slot: Slot, repositoryId: number): Promise<void> {
  const sharer = `readers of repository ${repositoryId}`;
  if (slot.claim(sharer)) return;
  slot.park(sharer);
  if (!(await slot.regain(turnMsMax))) throw new BusyError({ details: { repositoryId } });
}
