import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveRows, type Granted, type Members, sourceLevel } from './levels.ts';

const everyone = 1;
const userIds = [2, 3, 4, 5];
const groupIds = [1, 2, 3];
const level = fc.constantFrom(0, 1, 3, 4);
const rowsOf = (ids: readonly number[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...ids), fc.array(level, { minLength: 1, maxLength: 2 })))
    .map((entries) => new Map(entries));

const granted: fc.Arbitrary<Granted> = fc.record({
  rule: fc.constantFrom('best' as const, 'user row first' as const),
  grants: fc.record({ users: rowsOf([everyone, ...userIds]), userGroups: rowsOf(groupIds) }),
  ownerId: fc.constantFrom(null, 2),
  private: fc.boolean(),
});

const members: fc.Arbitrary<Members> = fc
  .record({
    lists: fc.array(fc.subarray(userIds), { minLength: groupIds.length, maxLength: groupIds.length }),
    inactive: fc.subarray(groupIds),
    countsInactive: fc.boolean(),
  })
  .map(({ lists, inactive, countsInactive }) => {
    const membersOf = new Map(groupIds.map((id, at) => [id, lists[at] ?? []]));
    const groupsOf = new Map(userIds.map((id) => [id, groupIds.filter((group) => membersOf.get(group)?.includes(id))]));
    return { defaultUserId: everyone, membersOf, groupsOf, inactive: new Set(inactive), countsInactive };
  });

/** The rule here, as the statement that reads rights has it. */
function levelHere(one: Granted, all: Members, userId: number): number {
  const rows = deriveRows(one, all);
  if (userId === one.ownerId) return 4;
  const own = rows.users.get(userId);
  if (own !== undefined) return own;
  const groups = (all.groupsOf.get(userId) ?? []).filter((id) => rows.userGroups.has(id) && !all.inactive.has(id));
  if (groups.length > 0) return Math.max(...groups.map((id) => rows.userGroups.get(id) ?? 0));
  return one.private ? 0 : rows.defaultLevel;
}

describe('deriveRows', () => {
  it('gives each user here the level that the user has in the source', () => {
    fc.assert(
      fc.property(granted, members, (one, all) => {
        const here = userIds.map((id) => levelHere(one, all, id));
        expect(here).toEqual(userIds.map((id) => sourceLevel(one, all, id)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves out rows that have no effect, and adds none where the rows of the source suffice', () => {
    const all: Members = {
      defaultUserId: everyone,
      membersOf: new Map([[1, [2, 3]]]),
      groupsOf: new Map([
        [2, [1]],
        [3, [1]],
      ]),
      inactive: new Set(),
      countsInactive: false,
    };
    const grants = (group: number) => ({
      users: new Map([
        [everyone, [1]],
        [2, [1]],
        [4, [4]],
      ]),
      userGroups: new Map([[1, [group]]]),
    });
    const derive = (rule: Granted['rule'], group: number) =>
      deriveRows({ rule, grants: grants(group), ownerId: null, private: false }, all);
    expect(derive('best', 3)).toEqual({
      defaultLevel: 1,
      users: new Map([[4, 4]]),
      userGroups: new Map([[1, 3]]),
      droppedUsers: [2],
      droppedGroups: [],
      addedUsers: [],
    });
    expect(derive('best', 0)).toMatchObject({ userGroups: new Map(), droppedGroups: [1], droppedUsers: [] });
    const kept = { userGroups: new Map([[1, 0]]), droppedGroups: [], droppedUsers: [], addedUsers: [] };
    expect(derive('user row first', 0)).toMatchObject(kept);
  });
});
