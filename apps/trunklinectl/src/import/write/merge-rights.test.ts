import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pairs } from './merge.ts';
import { mergeRights } from './merge-rights.ts';
import { withPairs, type People, type Rights } from './rights.ts';

const userIds = [2, 3, 4, 5];
const groupIds = [1, 2];
/** Ids here by those of the source. */
const people: People = {
  ids: {
    users: new Map(userIds.map((id) => [id, id + 10])),
    userGroups: new Map(groupIds.map((id) => [id, id + 20])),
    repoGroups: new Map(),
    repositories: new Map(),
  },
  defaultUserId: 11,
  firstAdminId: 99,
};
const nothing: Rights = { ownerId: 0, isPrivate: false, users: new Map(), userGroups: new Map() };
const hereOf = (pairs: Pairs) => withPairs(people, nothing, Object.entries(pairs));

/** The rule of levels, by ids of the source. */
function levelOf(pairs: Pairs, groupsOf: (id: number) => readonly number[], id: number): number {
  if (pairs['owner'] === id) return 4;
  const own = pairs[`user ${id}`];
  if (own !== undefined) return own;
  const ofGroups = groupsOf(id).flatMap((group) => pairs[`group ${group}`] ?? []);
  if (ofGroups.length > 0) return Math.max(...ofGroups);
  return pairs['private'] === 1 ? 0 : (pairs['everybody'] ?? 0);
}

/** The same rule, by ids here. */
function levelHere(
  { ownerId, isPrivate, users, userGroups }: Rights,
  groups: readonly number[],
  userId: number,
): number {
  if (ownerId === userId) return 4;
  const ofGroups = groups.flatMap((id) => userGroups.get(id) ?? []);
  const common = isPrivate ? 0 : (users.get(people.defaultUserId) ?? 0);
  return users.get(userId) ?? (ofGroups.length > 0 ? Math.max(...ofGroups) : common);
}

const level = fc.constantFrom(0, 1, 3, 4);
const holder = fc.constantFrom(...userIds.map((id) => `user ${id}`), ...groupIds.map((id) => `group ${id}`));
const pairs = fc
  .record({
    owner: fc.constantFrom(0, 2, 3),
    private: fc.constantFrom(0, 1),
    everybody: level,
    levels: fc.dictionary(holder, level, { maxKeys: 4, noNullPrototype: true }),
  })
  .map(({ levels, ...common }): Pairs => ({ ...common, ...levels }));
const members = fc.array(fc.subarray(groupIds), { minLength: userIds.length, maxLength: userIds.length });

describe('mergeRights', () => {
  it('gives nobody more than in the source or before, and brings each pair that was changed there alone', () => {
    fc.assert(
      fc.property(pairs, pairs, pairs, members, (before, source, edited, lists) => {
        const groupsOf = (id: number) => lists[userIds.indexOf(id)] ?? [];
        const groupsHere = (id: number) => groupsOf(id - 10).map((group) => group + 20);
        // About half of the pairs were changed here.
        const mixed = { ...before, ...Object.fromEntries(Object.entries(edited).filter((_, at) => at % 2 === 0)) };
        const here = hereOf(mixed);
        const sides = { pairs: source, levelOf: (id: number) => levelOf(source, groupsOf, id) };
        const { after, held, kept } = mergeRights(people, before, sides, here, groupsHere);
        for (const id of userIds) {
          const [was, is] = [here, after].map((rights) => levelHere(rights, groupsHere(id + 10), id + 10));
          expect(is).toBeLessThanOrEqual(Math.max(was ?? 0, sides.levelOf(id)));
        }
        const [was, is] = [here, after].map(({ isPrivate, users }) => (isPrivate ? 0 : (users.get(11) ?? 0)));
        expect(is).toBeLessThanOrEqual(Math.max(was ?? 0, source['private'] === 1 ? 0 : (source['everybody'] ?? 0)));
        for (const id of userIds) {
          const key = `user ${id}`;
          if (mixed[key] !== before[key] || held.includes(id + 10)) continue;
          expect([key, after.users.get(id + 10)]).toEqual([key, source[key]]);
        }
        for (const id of groupIds) {
          const key = `group ${id}`;
          if (mixed[key] !== before[key]) continue;
          expect([key, after.userGroups.get(id + 20)]).toEqual([key, source[key]]);
        }
        const becomesPrivate = mixed['private'] === before['private'] && source['private'] === 1;
        expect(after.isPrivate || !becomesPrivate).toBe(true);
        expect(
          kept.filter((key) => mixed[key] === before[key] && !['private', 'everybody', 'owner'].includes(key)),
        ).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('brings a revocation beside the deletion of another user here', () => {
    const before = { owner: 2, private: 0, everybody: 1, 'user 3': 4, 'user 9': 3 };
    const here = hereOf({ owner: 2, private: 0, everybody: 1, 'user 3': 4 });
    const source = { owner: 2, private: 0, everybody: 1, 'user 9': 3 };
    const merged = mergeRights(people, before, { pairs: source, levelOf: () => 1 }, here, () => []);
    expect([merged.after.users, merged.kept, merged.held]).toEqual([new Map([[11, 1]]), [], []]);
    expect(merged.pairs).toEqual(source);
  });

  it('leaves a user at the level of the source whom a row that was changed here would give more', () => {
    const before = { owner: 2, private: 0, everybody: 1, 'user 3': 0 };
    const here = hereOf({ ...before, everybody: 3 });
    const source = { owner: 2, private: 0, everybody: 1 };
    const { after, held } = mergeRights(people, before, { pairs: source, levelOf: () => 1 }, here, () => []);
    expect([after.users.get(13), held]).toEqual([1, [13]]);
  });
});
