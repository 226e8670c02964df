import { ConflictError, InvalidArgsError, UnavailableError, WrongStorageError } from '@trunkline/contracts';
import { prepared, storages as table, type Db } from '@trunkline/db';
import { sampleByWeight, type StorageHealth } from '@trunkline/runtime';
import { requireServed, requireWritable } from './require-storage.ts';
import { StorageFullError } from './storage-errors.ts';
import type { Storages } from './storages.ts';

/** A storage that takes new repositories, and what the worker's last probe found; null before the first probe. */
export interface Candidate {
  readonly id: string;
  readonly weight: number;
  readonly health: StorageHealth | null;
}

const columns = { id: table.id, name: table.name, state: table.state, weight: table.weight };

export type StorageRow = Pick<typeof table.$inferSelect, keyof typeof columns>;

const allStorages = prepared((db) => db.select(columns).from(table).orderBy(table.name).prepare('all_storages'));

/** Reads all storages, among which `chooseStorage` chooses. */
export function readStorages(db: Db): Promise<StorageRow[]> {
  return allStorages(db).execute();
}

/** In proportion to weight and free space. */
function shareOf({ weight, health }: Candidate): number {
  return weight * ((health?.freeBytes ?? 0) + 1);
}

/**
 * Chooses among storages that take new repositories. One that cannot be written is chosen when no other is left, and the
 * work then fails for its own reason; throws StorageFullError when all are full.
 */
export function chooseCandidate(candidates: readonly Candidate[], random: () => number): Candidate {
  const withSpace = candidates.filter(({ health }) => health?.state !== 'full');
  const sound = withSpace.filter(({ health }) => health === null || health.state === 'ok');
  const open = sound.length > 0 ? sound : withSpace;
  const chosen = sampleByWeight(open, shareOf, random) ?? open.at(-1);
  if (!chosen) throw new StorageFullError('no storage has free space');
  return chosen;
}

/** Returns the storage with this name; throws the client's error when it takes no new repositories. */
export async function requireOpen(db: Db, storages: Storages, name: string): Promise<string> {
  return openAmong(await readStorages(db), storages, name);
}

function openAmong(rows: readonly StorageRow[], storages: Storages, name: string): string {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new InvalidArgsError(`Invalid value for \`storage\`: no storage has the name \`${name}\``);
  if (row.state !== 'active') throw new ConflictError(`Storage \`${name}\` is ${row.state}`);
  requireSpace(storages, row.id);
  return row.id;
}

/** Returns such a storage if this worker serves it; throws WrongStorageError when another one does. */
async function requireNamed(db: Db, storages: Storages, rows: readonly StorageRow[], name: string): Promise<string> {
  const storageId = openAmong(rows, storages, name);
  await requireServed(db, storages, { storageId });
  return storageId;
}

/** Throws the client's error when this worker's last probe found the storage full. */
export function requireSpace(storages: Pick<Storages, 'all'>, storageId: string): void {
  const found = storages.all.find(({ storage }) => storage.id === storageId);
  if (found?.watch.last?.state === 'full') throw new ConflictError(`Storage \`${found.storage.name}\` is full`);
}

/** Throws the error of an instance in which no storage of this worker is active. */
async function refuseNew(db: Db, rows: readonly StorageRow[], storages: Storages): Promise<never> {
  // The gateway chose this worker by a list that is seconds old: another storage may take the repository.
  const open = rows.find(({ id, state }) => state === 'active' && !storages.ids.includes(id));
  if (open) throw new WrongStorageError(open.name);
  // An instance with one storage says what is wrong with that one.
  const [only] = rows;
  if (only && rows.length === 1) await requireWritable(db, only.id);
  const closed = rows.some(({ state }) => state === 'draining' || state === 'read-only');
  if (!closed) throw new UnavailableError({ cause: new Error('no storage is active') });
  throw new ConflictError('No storage takes new repositories');
}

/** How the storage of a new repository is determined. */
interface Wish {
  /** Name that the call gives; null when it gives none. */
  readonly named: string | null;
  /** Name of the storage that the gateway has chosen. */
  readonly asked: string | null;
  /** All storages, if they were read in this transaction. */
  readonly rows?: readonly StorageRow[] | undefined;
}

/**
 * Returns the id of the storage for a new repository: the one that is named, or else the one that the gateway has
 * chosen or, if that is closed or full, another one that this worker serves. Throws the client's error when there is
 * none, and WrongStorageError when other workers have one.
 */
export async function chooseStorage(
  db: Db,
  storages: Storages,
  { named, asked, rows: known }: Wish,
  random: () => number = Math.random,
): Promise<string> {
  const rows = known ?? (await readStorages(db));
  if (named !== null) return requireNamed(db, storages, rows, named);
  const active = rows.filter(({ id, state }) => state === 'active' && storages.ids.includes(id));
  if (active.length === 0) return refuseNew(db, rows, storages);
  const health = new Map(storages.all.map(({ storage: { id }, watch: { last } }) => [id, last]));
  const chosen = active.find(({ id, name }) => name === asked && health.get(id)?.state === 'ok');
  if (chosen) return chosen.id;
  return chooseCandidate(
    active.map(({ id, weight }) => ({ id, weight, health: health.get(id) ?? null })),
    random,
  ).id;
}
