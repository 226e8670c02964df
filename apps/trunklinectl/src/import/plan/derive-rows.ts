import { levels } from '@trunkline/contracts';
import { baseLevel, sourceLevel, type Granted, type Members } from './levels.ts';

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

const best = (values: readonly number[]) => Math.max(levels.none, ...values);

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
