import { type BackedUpRepository, type Manifest, treesOf } from '../backup/manifest.ts';
import { RefusedError, UsageError } from '../errors.ts';

export interface SelectOptions {
  /** Whether repositories of which the backup has nothing, or only a state of before, are accepted. */
  readonly acceptMissing: boolean;
  readonly leaveOut: readonly string[];
}

/** What is restored of a backup. */
export interface Selection {
  readonly repositories: readonly BackedUpRepository[];
  /** Names of those of which it has a state of before its rows. */
  readonly former: readonly string[];
  /** Names of those that are in its rows, and that are not restored. */
  readonly leftOut: readonly string[];
}

const namesMax = 20;

function list(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => `\`${name}\``);
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : '';
  return shown.join(', ') + more;
}

/** Chooses what to restore; throws UsageError for a name that the backup does not have, and RefusedError for what it lacks. */
export function selectRepositories(
  manifest: Pick<Manifest, 'repositories' | 'missing'>,
  { acceptMissing, leaveOut }: SelectOptions,
): Selection {
  const { repositories, missing } = manifest;
  const known = new Set([...repositories, ...missing].map(({ name }) => name));
  const unknown = leaveOut.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new UsageError(`Invalid value for \`--leave-out\`: the backup has no repository \`${unknown}\``);
  }
  const isWanted = ({ name }: { readonly name: string }) => !leaveOut.includes(name);
  const lacking = missing.filter(isWanted);
  if (lacking.length > 0 && !acceptMissing) {
    throw new RefusedError(
      `the backup could not be given ${list(lacking.map(({ name }) => name))}: --accept-missing restores it ` +
        'without them, or with what an earlier backup had of them',
    );
  }
  const chosen = treesOf(manifest).filter(isWanted);
  const chosenIds = new Set(chosen.map(({ id }) => id));
  return {
    repositories: chosen,
    former: lacking.flatMap(({ name, former }) => (former ? [name] : [])),
    leftOut: [...repositories, ...missing].flatMap(({ id, name }) => (chosenIds.has(id) ? [] : [name])),
  };
}

export interface HereStorage {
  readonly id: string;
  readonly name: string;
  readonly weight: number;
}

interface Stored {
  readonly id: number;
  readonly storage: string;
  readonly sizeBytes: number | null;
}

/** Bytes that an empty repository takes, or one of which the size is not known. */
const bytesLeast = 65_536;

/** Reads `OLD=NEW` of the option `--storage`. */
export function readMapping(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    words.map((word) => {
      const [, from = '', to = ''] = /^([a-z0-9-]{1,32})=([a-z0-9-]{1,32})$/.exec(word) ?? [];
      if (from === '') throw new UsageError('Invalid value for `--storage`: must be OLD=NEW, names of storages');
      return [from, to] as const;
    }),
  );
}

/**
 * Returns the storage of this instance for each repository: that to which the former one is mapped, else the one of the
 * same name, else the one that has the least for its weight.
 */
export function chooseStorages(
  repositories: readonly Stored[],
  here: readonly HereStorage[],
  mapping: ReadonlyMap<string, string>,
): ReadonlyMap<number, HereStorage> {
  if (here.length === 0) throw new RefusedError('the instance has no active storage: start its workers before');
  const byName = new Map(here.map((one) => [one.name, one]));
  for (const to of mapping.values()) {
    if (!byName.has(to)) throw new RefusedError(`the instance has no active storage \`${to}\``);
  }
  const bytes = new Map<string, number>();
  const loadOf = ({ name, weight }: HereStorage) => (bytes.get(name) ?? 0) / weight;
  return new Map(
    repositories.map(({ id, storage, sizeBytes }) => {
      const named = byName.get(mapping.get(storage) ?? storage);
      const chosen = named ?? here.reduce((best, one) => (loadOf(one) < loadOf(best) ? one : best));
      bytes.set(chosen.name, (bytes.get(chosen.name) ?? 0) + Math.max(bytesLeast, sizeBytes ?? 0));
      return [id, chosen] as const;
    }),
  );
}

/** Throws when a further run maps a repository to another storage than the one that the first run has chosen. */
export function requireMapped(
  { name, storage }: { readonly name: string; readonly storage: string },
  chosen: string,
  mapping: ReadonlyMap<string, string>,
): void {
  const wanted = mapping.get(storage) ?? chosen;
  if (wanted === chosen) return;
  throw new RefusedError(
    `repository \`${name}\` goes to the storage \`${chosen}\`, which an earlier run has chosen, and not to \`${wanted}\`: ` +
      'run this again without --storage, and move it then',
  );
}
