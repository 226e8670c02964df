import { levels } from '@trunkline/contracts';
import { keepPairs, mergePairs, type Pairs } from './merge.ts';
import { commonLevel, holderOf, levelIn, pairsHere, withPairs, type People, type Rights } from './rights.ts';

/** What the source says of the rights on one object. */
export interface SourceRights {
  readonly pairs: Pairs;
  /** Returns the level of a user of the source who is no administrator, by its own rule. */
  readonly levelOf: (userId: number) => number;
}

export interface RightsMerge {
  readonly after: Rights;
  readonly isChanged: boolean;
  /** Pairs that stay as they are here. */
  readonly kept: readonly string[];
  /** Ids here of users who get a row, so that nothing gives them more than they have in the source or had here. */
  readonly held: readonly number[];
  readonly pairs: Pairs;
}

/** Active user groups of users here. */
export type GroupsOf = (userId: number) => readonly number[];

const alwaysThere = new Set(['owner', 'private', 'everybody']);
const sourceCommon = (pairs: Pairs) => (pairs['private'] === 1 ? levels.none : (pairs['everybody'] ?? levels.none));

/**
 * Brings the rights that have changed in the source, pair by pair. Pairs of the source beside others that were changed
 * here could give somebody a level that neither has meant: such a user gets a row with the higher level of the two.
 */
export function mergeRights(
  people: People,
  before: Pairs | undefined,
  source: SourceRights,
  here: Rights,
  groupsOf: GroupsOf,
): RightsMerge {
  const present = pairsHere(people, here, [before?.['owner'], source.pairs['owner']]);
  const isThere = (key: string) => alwaysThere.has(key) || holderOf(people, key) !== undefined;
  const merge = mergePairs(before, source.pairs, present, isThere);
  const limit = Math.max(commonLevel(people, here), sourceCommon(source.pairs));
  if (commonLevel(people, withPairs(people, here, merge.apply)) > limit) {
    keepPairs(merge, before, ['private', 'everybody']);
  }
  const merged = withPairs(people, here, merge.apply);
  const users = new Map(merged.users);
  const held: number[] = [];
  for (const [sourceId, id] of merge.apply.size > 0 ? people.ids.users : []) {
    const [former, level] = [here, merged].map((rights) => levelIn(people, rights, id, groupsOf(id)));
    const most = Math.max(former ?? levels.none, source.levelOf(sourceId));
    if (level === undefined || level <= most || merged.ownerId === id) continue;
    users.set(id, most);
    held.push(id);
  }
  const { kept, pairs } = merge;
  return { after: { ...merged, users }, isChanged: merge.apply.size > 0, kept, held, pairs };
}
