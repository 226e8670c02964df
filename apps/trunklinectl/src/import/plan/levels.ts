import { levels } from '@trunkline/contracts';
import type { Grants, LevelRule } from '../source/source.ts';

/** What decides on the levels of users on one object of the source. */
export interface Granted {
  readonly rule: LevelRule;
  readonly grants: Grants;
  /** The owner, where owning gives the level `admin`. */
  readonly ownerId: number | null;
  readonly private: boolean;
}

/** Who is in which user groups of the source. */
export interface Members {
  readonly defaultUserId: number;
  readonly groupsOf: ReadonlyMap<number, readonly number[]>;
  readonly membersOf: ReadonlyMap<number, readonly number[]>;
  readonly inactive: ReadonlySet<number>;
  /** Whether rows of inactive groups count in the source. */
  readonly countsInactive: boolean;
}

const best = (values: readonly number[] | undefined) => Math.max(levels.none, ...(values ?? []));

/** Returns the level that everybody has. */
export function baseLevel({ grants, private: isPrivate }: Granted, { defaultUserId }: Members): number {
  return isPrivate ? levels.none : best(grants.users.get(defaultUserId));
}

function groupLevels(granted: Granted, members: Members, userId: number): number[] {
  const counts = (id: number) => members.countsInactive || !members.inactive.has(id);
  const groups = (members.groupsOf.get(userId) ?? []).filter((id) => granted.grants.userGroups.has(id) && counts(id));
  return groups.map((id) => best(granted.grants.userGroups.get(id)));
}

/** Returns the level that a user who is no administrator has in the source. */
export function sourceLevel(granted: Granted, members: Members, userId: number): number {
  if (userId === granted.ownerId) return levels.admin;
  const own = granted.grants.users.get(userId);
  const ofGroups = groupLevels(granted, members, userId);
  if (granted.rule === 'best') return best([baseLevel(granted, members), ...ofGroups, ...(own ?? [])]);
  // Which of several rows of one user wins is not known: nobody gets more.
  if (own) return Math.min(...own);
  return ofGroups.length > 0 ? best(ofGroups) : baseLevel(granted, members);
}
