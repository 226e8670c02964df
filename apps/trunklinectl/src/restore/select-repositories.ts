import { treesOf, type BackedUpRepository, type Manifest } from '../backup/manifest.ts';
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
