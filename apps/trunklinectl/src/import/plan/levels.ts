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
function baseLevel({ grants, private: isPrivate }: Granted, { defaultUserId }: Members): number {
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

/** The rows that give each user here the level that the user has in the source, by ids of the source. */
export interface DerivedRows {
  readonly defaultLevel: number;
  readonly users: ReadonlyMap<number, number>;
  readonly userGroups: ReadonlyMap<number, number>;
  /** Rows of the source that have no effect there, and would have one here. */
  readonly droppedUsers: readonly number[];
  readonly droppedGroups: readonly number[];
  /** Users who get a row that they do not have in the source. */
  readonly addedUsers: readonly number[];
}

/** Returns the level that a user without a row of the own has here. */
function levelHere(rows: ReadonlyMap<number, number>, members: Members, base: number, userId: number): number {
  const groups = (members.groupsOf.get(userId) ?? []).filter((id) => rows.has(id) && !members.inactive.has(id));
  return groups.length > 0 ? best(groups.map((id) => rows.get(id) ?? 0)) : base;
}

/**
 * Derives rows for the rule here (owner, else the own row, else the best row of active groups, else that of `default`
 * unless private). A group's row that is below what everybody has would take something away here; an own row that
 * another one exceeds, too.
 */
export function deriveRows(granted: Granted, members: Members): DerivedRows {
  const { grants, rule, ownerId } = granted;
  const base = baseLevel(granted, members);
  const groupRows = [...grants.userGroups].map(([id, values]) => [id, best(values)] as const);
  const isKept = (level: number) => rule === 'user row first' || level > base;
  const userGroups = new Map(groupRows.filter(([, level]) => isKept(level)));

  const holders = [...grants.users.keys()].filter((id) => id !== members.defaultUserId);
  const inGroups = groupRows.flatMap(([id]) => members.membersOf.get(id) ?? []);
  const users = new Map<number, number>();
  const droppedUsers: number[] = [];
  const addedUsers: number[] = [];
  for (const id of new Set([...holders, ...inGroups])) {
    const own = grants.users.get(id);
    const level = sourceLevel({ ...granted, ownerId: null }, members, id);
    // What owners hold beside owning counts once somebody else owns the object.
    const isNeeded = level !== levelHere(userGroups, members, base, id);
    if (isNeeded || own?.includes(level)) users.set(id, level);
    if (own && !users.has(id)) droppedUsers.push(id);
    if (!own && isNeeded && id !== ownerId) addedUsers.push(id);
  }
  const droppedGroups = groupRows.filter(([id]) => !userGroups.has(id)).map(([id]) => id);
  return { defaultLevel: base, users, userGroups, droppedUsers, droppedGroups, addedUsers };
}
