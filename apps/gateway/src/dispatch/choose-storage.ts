import { drawByWeight } from '@trunkline/runtime';
import type { KnownStorage } from './storage-store.ts';

/** A storage with less free space than the larger of these takes no new repositories. */
const fullBelow = { bytes: 1_000_000_000, share: 0.01 };
/** Free space that is assumed for a storage whose workers have not measured it yet. */
const assumedFreeBytes = 10_000_000_000;

function isFull({ capacityBytes, freeBytes }: KnownStorage): boolean {
  return freeBytes !== null && freeBytes < Math.max(fullBelow.bytes, (capacityBytes ?? 0) * fullBelow.share);
}

/** Chooses a storage for a new repository: active, not full, by weight and free space; undefined when there is none. */
export function chooseForNew(storages: readonly KnownStorage[], random: () => number): KnownStorage | undefined {
  const open = storages.filter((one) => one.state === 'active' && !isFull(one));
  return drawByWeight(open, ({ weight, freeBytes }) => weight * (freeBytes ?? assumedFreeBytes), random);
}

/** Chooses any storage whose workers may be there. */
export function chooseAny(storages: readonly KnownStorage[], random: () => number): KnownStorage | undefined {
  const present = storages.filter(({ state }) => state !== 'offline' && state !== 'lost');
  return present[Math.floor(random() * present.length)];
}
