import { sampleByWeight } from '@trunkline/runtime';
import { entityRef, routeOf, StorageName, UnavailableError, type Method } from '@trunkline/contracts';
import * as v from 'valibot';
import type { KnownStorage, LocatedRepository, StorageDirectory } from './storage-directory.ts';
import { isRecord } from './command.ts';
import type { RepositoryHints } from './repository-hints.ts';

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

export interface RoutingTools {
  readonly directory: Pick<StorageDirectory, 'all' | 'refreshed' | 'nameOf'>;
  readonly hints: RepositoryHints;
  /** Finds a repository in the database, whether the caller may read it or not. */
  readonly locate: (ref: { readonly id: number } | { readonly name: string }) => Promise<LocatedRepository | null>;
  /** Returns a random number from 0 to below 1. */
  readonly random: () => number;
  /** Free bytes below which a storage gets no new repositories; 0 turns the limit off. */
  readonly freeBytesMin: number;
}

/** The parts of a command that determine its storage. */
interface RoutedCall {
  readonly method: Pick<Method, 'route' | 'args' | 'takesLost'>;
  readonly args: unknown;
  /** Name of the one storage that the call concerns. */
  readonly storage?: string;
}

/** The storages whose workers one call asks, one after the other and each once. */
export interface StorageRoute {
  /** Returns the name of the first storage; throws UnavailableError while the database knows none. */
  first(): Promise<string>;
  /** Returns the storage that a worker named in its refusal; null when it is not known or was asked before. */
  afterWrongStorage(named: string): Promise<string | null>;
  /** Returns the storage to ask when the last one has no worker; null when no other can run the call. */
  afterUnserved(): Promise<string | null>;
  /**
   * Forgets where the repository is: one that the caller may not read costs the next call the same statements as one that
   * does not exist.
   */
  afterNotFound(): void;
}

type Ref = { readonly id: number } | { readonly name: string };

/** Returns the repository that `repoid` names; null when the argument can name none. */
function refIn(args: unknown): Ref | null {
  const parsed = v.safeParse(entityRef, isRecord(args) ? args['repoid'] : null);
  if (!parsed.success) return null;
  const { id, name } = parsed.output;
  if (id !== null) return { id };
  return name === null ? null : { name };
}

function storageIn(args: unknown, storages: readonly KnownStorage[]): KnownStorage | undefined {
  const named = isRecord(args) ? args['storage'] : undefined;
  return storages.find(({ name }) => name === named);
}

function hintKey(ref: Ref): string {
  return 'id' in ref ? String(ref.id) : ref.name;
}

/**
 * Creates the route of a call in a lane that reaches bytes. A repository's storage is a hint of an earlier call or, when
 * there is none, one statement. With one storage, no call needs either.
 */
export function createStorageRoute(tools: RoutingTools, { method, args, storage: given }: RoutedCall): StorageRoute {
  const { directory, hints, locate, random, freeBytesMin } = tools;
  const route = routeOf(method);
  const ref = route === 'repository' ? refIn(args) : null;
  const asked = new Set<string>();
  /** Whether workers of other storages can answer as well: for new repositories, and where no repository was found. */
  let anyWillDo = route !== 'repository' || ref === null;

  const ask = (name: string): string => {
    asked.add(name);
    return name;
  };

  /** Reads the storage of the call's repository from the database. */
  const located = async (): Promise<string | null> => {
    const found = ref && (await locate(ref));
    if (!found) return null;
    if (directory.nameOf(found.storageId) === null) await directory.refreshed();
    const storage = directory.nameOf(found.storageId);
    hints.set({ id: found.id, name: found.name, storage });
    return storage;
  };

  const chooseOther = (all: readonly KnownStorage[]): string | null => {
    const others = all.filter(({ name }) => !asked.has(name));
    const chosen =
      route === 'new'
        ? (chooseForNew(others, random, freeBytesMin) ?? chooseAny(others, random))
        : chooseAny(others, random);
    return chosen ? ask(chosen.name) : null;
  };

  /** Returns whether the call needs no worker of this storage, because the bytes are lost. */
  const isLost = (storage: string, all: readonly KnownStorage[]): boolean =>
    method.takesLost === true && all.find(({ name }) => name === storage)?.state === 'lost';

  const choose = async (all: readonly KnownStorage[]): Promise<string | null> => {
    const named = given ?? (route === 'new' ? storageIn(args, all)?.name : undefined);
    if (named !== undefined) {
      anyWillDo = false;
      return named;
    }
    const storage = ref && (hints.storageOf(hintKey(ref)) ?? (await located()));
    anyWillDo ||= storage === null || isLost(storage, all);
    return anyWillDo ? chooseOther(all) : storage;
  };

  return {
    async first() {
      const all = await directory.all();
      const [only] = all;
      const storage = only && all.length === 1 ? only.name : await choose(all);
      if (storage === null) throw new UnavailableError({ cause: new Error('the database knows no storage') });
      return ask(storage);
    },
    async afterWrongStorage(named) {
      const isKnown = (all: readonly KnownStorage[]) => all.some(({ name }) => name === named);
      if (!v.is(StorageName, named) || asked.has(named)) return null;
      if (!isKnown(await directory.all()) && !isKnown(await directory.refreshed())) return null;
      if (ref) hints.setStorage(hintKey(ref), named);
      return ask(named);
    },
    afterNotFound() {
      if (ref) hints.forgetStorage(hintKey(ref));
    },
    async afterUnserved() {
      if (anyWillDo) return chooseOther(await directory.all());
      // The repository may have moved away from a storage whose workers have been stopped.
      const storage = ref && (await located());
      if (storage === null) return null;
      if (!asked.has(storage)) return ask(storage);
      const all = method.takesLost ? await directory.refreshed() : [];
      return isLost(storage, all) ? chooseOther(all) : null;
    },
  };
}
