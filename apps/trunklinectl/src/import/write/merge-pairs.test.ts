import { describe, expect, it } from 'vitest';
import { keepPairs, mergePairs, unknownPair, type Pairs } from './merge-pairs.ts';

const there = () => true;
const one = (value: number | null): Pairs => (value === null ? {} : { 'user 2': value });
const merge = (last: number | null, source: number | null, here: number | null) => {
  const { apply, kept, pairs } = mergePairs(one(last), one(source), one(here), there);
  return { apply: [...apply.values()], kept: kept.length, next: pairs['user 2'] ?? null };
};

describe('mergePairs', () => {
  it.each([
    ['leaves what has changed nowhere', [3, 3, 3], [], 0, 3],
    ['leaves what was changed here alone', [3, 3, 1], [], 0, 3],
    ['leaves what was revoked here alone', [3, 3, null], [], 0, 3],
    ['leaves what was granted here alone', [null, null, 4], [], 0, null],
    ['brings what was changed in the source alone', [3, 1, 3], [1], 0, 1],
    ['brings what was revoked in the source alone', [3, null, 3], [null], 0, null],
    ['brings what was granted in the source alone', [null, 3, null], [3], 0, 3],
    ['has nothing to bring when both have the same', [3, null, null], [], 0, null],
    ['keeps what was changed here and in the source', [3, 4, 1], [], 1, 3],
    ['keeps what was revoked here and changed in the source', [3, 4, null], [], 1, 3],
    ['keeps what was changed here and revoked in the source', [3, null, 4], [], 1, 3],
    ['keeps what was granted here and in the source', [null, 3, 4], [], 1, null],
  ] as const)('%s', (_, [last, source, here], apply, kept, next) => {
    expect(merge(last, source, here)).toEqual({ apply, kept, next });
  });

  it('brings each pair, whatever became of the others', () => {
    const before = { 'user 2': 3, 'user 3': 3, 'user 4': 3 };
    const isThere = (key: string) => key !== 'user 4';
    const { apply, kept, pairs } = mergePairs(
      before,
      { 'user 3': 4, 'user 4': 3 },
      { 'user 2': 3, 'user 3': 1 },
      isThere,
    );
    expect([...apply]).toEqual([['user 2', null]]);
    expect(kept).toEqual(['user 3']);
    expect(pairs).toEqual({ 'user 3': 3, 'user 4': 3 });
  });

  it('keeps what differs where nothing is known of the last import, in each further run, too', () => {
    const here = { 'user 2': 3, 'user 3': 4 };
    const first = mergePairs(undefined, { 'user 2': 3, 'user 4': 1 }, here, there);
    expect([first.apply.size, first.kept]).toEqual([0, ['user 3', 'user 4']]);
    expect(first.pairs).toEqual({ 'user 2': 3, 'user 3': unknownPair, 'user 4': unknownPair });
    const further = mergePairs(first.pairs, { 'user 4': 1 }, here, there);
    expect([[...further.apply], further.kept]).toEqual([[['user 2', null]], ['user 3', 'user 4']]);
  });

  it('keepPairs leaves pairs as they are here, to be compared again', () => {
    const before = { everybody: 1 };
    const merged = mergePairs(before, { everybody: 3, private: 0 }, { everybody: 1 }, there);
    keepPairs(merged, before, ['everybody', 'private', 'owner']);
    expect(merged).toEqual({ apply: new Map(), kept: ['everybody', 'private'], pairs: { everybody: 1 } });
  });
});
