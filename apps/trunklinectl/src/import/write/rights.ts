import { levels } from '@trunkline/contracts';
import type { DerivedRows } from '../plan/levels.ts';
import type { Pairs } from './merge.ts';
import type { Writing } from './writing.ts';

/** Who may do what on one object here, by ids of here. The row of `default` is among those of users. */
export interface Rights {
  readonly ownerId: number;
  readonly isPrivate: boolean;
  readonly users: ReadonlyMap<number, number>;
  readonly userGroups: ReadonlyMap<number, number>;
}

/** What leads from ids of the source to ids here. */
export type People = Pick<Writing, 'ids' | 'defaultUserId' | 'firstAdminId'>;

/** Stands for an owner whom no import has brought. */
const somebodyElse = -2;

export function ownerHere({ ids, firstAdminId }: People, ownerId: number | null | undefined): number {
  return ids.users.get(ownerId ?? 0) ?? firstAdminId;
}

/** Returns the id here of the holder of a pair; undefined for one who is gone here. */
export function holderOf({ ids, defaultUserId }: People, key: string): number | undefined {
  if (key === 'everybody') return defaultUserId;
  const [kind, id] = key.split(' ');
  return (kind === 'user' ? ids.users : ids.userGroups).get(Number(id));
}

/** Returns the pairs of holders in the source, by its ids: 1 stands for a private repository. */
export function pairsOfSource(
  { defaultLevel, users, userGroups }: DerivedRows,
  ownerId: number | null,
  isPrivate = false,
): Pairs {
  return {
    owner: ownerId ?? 0,
    private: Number(isPrivate),
    everybody: defaultLevel,
    ...Object.fromEntries([...users].map(([id, level]) => [`user ${id}`, level])),
    ...Object.fromEntries([...userGroups].map(([id, level]) => [`group ${id}`, level])),
  };
}

/** Returns the pairs of imported holders here; the owner is looked for among some of the source. */
export function pairsHere(people: People, rights: Rights, owners: readonly (number | undefined)[]): Pairs {
  const { ids, defaultUserId } = people;
  const named = (word: string, known: ReadonlyMap<number, number>, rows: ReadonlyMap<number, number>) =>
    [...known].flatMap(([sourceId, id]): [string, number][] => {
      const level = rows.get(id);
      return level === undefined ? [] : [[`${word} ${sourceId}`, level]];
    });
  const ownerId = owners.find((id) => id !== undefined && ownerHere(people, id) === rights.ownerId);
  const everybody = rights.users.get(defaultUserId);
  return {
    owner: ownerId ?? somebodyElse,
    private: Number(rights.isPrivate),
    ...(everybody !== undefined && { everybody }),
    ...Object.fromEntries(named('user', ids.users, rights.users)),
    ...Object.fromEntries(named('group', ids.userGroups, rights.userGroups)),
  };
}

/** Returns rights with other pairs, null for those that go. */
export function withPairs(people: People, rights: Rights, pairs: Iterable<readonly [string, number | null]>): Rights {
  const [users, userGroups] = [new Map(rights.users), new Map(rights.userGroups)];
  let { ownerId, isPrivate } = rights;
  for (const [key, value] of pairs) {
    if (key === 'owner') ownerId = ownerHere(people, value);
    else if (key === 'private') isPrivate = value === 1;
    else {
      const id = holderOf(people, key);
      const rows = key.startsWith('group ') ? userGroups : users;
      if (id !== undefined && value === null) rows.delete(id);
      else if (id !== undefined && value !== null) rows.set(id, value);
    }
  }
  return { ownerId, isPrivate, users, userGroups };
}

/** Returns the level of everybody without a row. */
export function commonLevel({ defaultUserId }: People, { isPrivate, users }: Rights): number {
  return isPrivate ? levels.none : (users.get(defaultUserId) ?? levels.none);
}

/** Returns the level of a user who is no administrator, by the rule here; `groupIds` has the active groups of the user. */
export function levelIn(people: People, rights: Rights, userId: number, groupIds: readonly number[]): number {
  if (userId === rights.ownerId) return levels.admin;
  const ofGroups = groupIds.flatMap((id) => rights.userGroups.get(id) ?? []);
  const common = ofGroups.length > 0 ? Math.max(...ofGroups) : commonLevel(people, rights);
  return rights.users.get(userId) ?? common;
}
