import { sampleByWeight } from '@trunkline/runtime';
import type { KnownStorage } from './storage-store.ts';

/** Share of a storage's size below which it is full, unless limits are off. */
const freeShareMin = 0.01;
/** Free space that is assumed for a storage whose workers have not measured it yet. */
const assumedFreeBytes = 10_000_000_000;

function isFull({ capacityBytes, freeBytes }: KnownStorage, freeBytesMin: number): boolean {
  if (freeBytes === null || freeBytesMin === 0) return false;
  return freeBytes < Math.max(freeBytesMin, (capacityBytes ?? 0) * freeShareMin);
}

/**
 * Chooses a storage for a new repository: active, not full, by weight and free space; undefined when there is none. A
 * storage is full with less free space than `freeBytesMin`; 0 turns the limits off.
 */
export function chooseForNew(
  storages: readonly KnownStorage[],
  random: () => number,
  freeBytesMin: number,
): KnownStorage | undefined {
  const open = storages.filter((one) => one.state === 'active' && !isFull(one, freeBytesMin));
  return sampleByWeight(open, ({ weight, freeBytes }) => weight * (freeBytes ?? assumedFreeBytes), random);
}

/** Chooses any storage whose workers may be there. */
export function chooseAny(storages: readonly KnownStorage[], random: () => number): KnownStorage | undefined {
  const present = storages.filter(({ state }) => state !== 'offline' && state !== 'lost');
  return present[Math.floor(random() * present.length)];
}
