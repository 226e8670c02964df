import type { PulledReferences } from '../backend.ts';
import type { NameChange } from '../push.ts';
import { branchPrefix } from './default-branch.ts';
import { directoriesOf } from './protocol/reference-rules.ts';

export const tagPrefix = 'refs/tags/';

/** Ids by the full names of branches and tags, whose bytes are read as latin1, so that any name stays what it is. */
export type References = ReadonlyMap<string, string>;

/** What a pull makes of the references here. */
export interface PullPlan {
  /** References that are created or moved. */
  readonly updates: readonly NameChange[];
  readonly removals: readonly NameChange[];
  /** What is here afterwards. */
  readonly names: ReadonlySet<string>;
  readonly pulled: PulledReferences;
}

interface PullOf {
  readonly there: References;
  readonly here: References;
  /** Whether what is gone there is removed here. */
  readonly prunes: boolean;
  /** The reference to which HEAD leads; null for none. */
  readonly head: string | null;
}

const isTag = (name: string) => name.startsWith(tagPrefix);

/** Returns a function that takes a new name unless it cannot be beside the others: git keeps `a/b` in a directory `a`. */
function roomBeside(others: Iterable<string>): (name: string) => boolean {
  const names = new Set(others);
  const directories = new Set([...names].flatMap(directoriesOf));
  return (name) => {
    const above = directoriesOf(name);
    if (directories.has(name) || above.some((directory) => names.has(directory))) return false;
    names.add(name);
    for (const directory of above) directories.add(directory);
    return true;
  };
}

/**
 * Plans a pull: branches follow the remote, new tags come, and a tag that is here stays what it is. What is gone there stays
 * unless the pull prunes, which leaves the branch of HEAD while the remote has no branch at all.
 */
export function planPull({ there, here, prunes, head }: PullOf): PullPlan {
  const hasBranches = [...there.keys()].some((name) => name.startsWith(branchPrefix));
  const stays = (name: string) => !prunes || there.has(name) || (name === head && !hasBranches);
  const names = new Set([...here.keys()].filter(stays));
  let takesPlace: ReturnType<typeof roomBeside> | null = null;
  const updates: NameChange[] = [];
  const kept: string[] = [];
  const leftOut: string[] = [];
  for (const [name, to] of there) {
    const from = here.get(name) ?? null;
    if (from === to) continue;
    if (from !== null && isTag(name)) kept.push(name);
    else if (from === null && !(takesPlace ??= roomBeside(names))(name)) leftOut.push(name);
    else updates.push({ name, from, to });
  }
  for (const { name } of updates) names.add(name);
  const removals = [...here].flatMap(([name, from]) => (names.has(name) ? [] : [{ name, from, to: null }]));
  const branches = updates.filter(({ name }) => !isTag(name));
  const branchesAdded = branches.filter(({ from }) => from === null).length;
  const tagsRemoved = removals.filter(({ name }) => isTag(name)).length;
  const pulled = {
    branchesAdded,
    branchesMoved: branches.length - branchesAdded,
    branchesRemoved: removals.length - tagsRemoved,
    tagsAdded: updates.length - branches.length,
    tagsRemoved,
    tagsKept: kept.length,
    leftOut: leftOut.length,
  };
  return { updates, removals, names, pulled };
}
