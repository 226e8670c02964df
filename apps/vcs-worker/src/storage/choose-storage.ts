import { ConflictError, InvalidArgsError, UnavailableError } from '@trunkline/contracts';
import { storages as table, type Db } from '@trunkline/db';
import { eq, inArray } from 'drizzle-orm';
import type { StorageHealth } from '../health/storage-health.ts';
import { requireWritable } from './require-writable.ts';
import { StorageFullError } from './storage-full-error.ts';
import type { Storages } from './storages.ts';

/** A storage that takes new repositories, and what the worker's last probe found; null before the first probe. */
export interface Candidate {
  readonly id: string;
  readonly weight: number;
  readonly health: StorageHealth | null;
}

const columns = { id: table.id, name: table.name, state: table.state, weight: table.weight };

/** Returns one of the candidates by chance, in proportion to weight and free space; `drawn` is below 1. */
function drawByWeight(candidates: readonly Candidate[], drawn: number): Candidate | undefined {
  const shares = candidates.map(({ weight, health }) => weight * ((health?.freeBytes ?? 0) + 1));
  let left = drawn * shares.reduce((sum, share) => sum + share, 0);
  return candidates.find((_, at) => (left -= shares[at] ?? 0) < 0) ?? candidates.at(-1);
}

/**
 * Chooses among storages that take new repositories. One that cannot be written is chosen when no other is left, and the
 * work then fails for its own reason; throws StorageFullError when all are full.
 */
export function chooseCandidate(candidates: readonly Candidate[], random: () => number): Candidate {
  const withSpace = candidates.filter(({ health }) => health?.state !== 'full');
  const sound = withSpace.filter(({ health }) => health === null || health.state === 'ok');
  const chosen = drawByWeight(sound.length > 0 ? sound : withSpace, random());
  if (!chosen) throw new StorageFullError('no storage has free space');
  return chosen;
}

/** Returns the storage with this name; throws the client's error when it takes no new repositories. */
async function requireNamed(db: Db, storages: Storages, name: string): Promise<string> {
  const [row] = await db.select(columns).from(table).where(eq(table.name, name));
  if (!row) throw new InvalidArgsError(`Invalid value for \`storage\`: no storage has the name \`${name}\``);
  if (row.state !== 'active') throw new ConflictError(`Storage \`${name}\` is ${row.state}`);
  const { id } = storages.of({ storageId: row.id });
  const health = storages.all.find(({ storage }) => storage.id === id)?.watch.last;
  if (health?.state === 'full') throw new ConflictError(`Storage \`${name}\` is full`);
  return id;
}

/**
 * Returns the id of the storage for a new repository: the one that is named, or else one of those that this worker
 * serves. Throws the client's error when there is none.
 */
export async function chooseStorage(
  db: Db,
  storages: Storages,
  name: string | null,
  random: () => number = Math.random,
): Promise<string> {
  if (name !== null) return requireNamed(db, storages, name);
  const rows = await db
    .select(columns)
    .from(table)
    .where(inArray(table.id, [...storages.ids]))
    .orderBy(table.name);
  const active = rows.filter(({ state }) => state === 'active');
  if (active.length === 0) {
    // An instance with one storage says what is wrong with that one.
    const [only] = rows;
    if (only && rows.length === 1) await requireWritable(db, only.id);
    const draining = rows.find(({ state }) => state === 'draining' || state === 'read-only');
    if (!draining) throw new UnavailableError({ cause: new Error('no storage is active') });
    throw new ConflictError('No storage takes new repositories');
  }
  const health = new Map(storages.all.map(({ storage: { id }, watch: { last } }) => [id, last]));
  return chooseCandidate(
    active.map(({ id, weight }) => ({ id, weight, health: health.get(id) ?? null })),
    random,
  ).id;
}
