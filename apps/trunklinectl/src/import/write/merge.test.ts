import { describe, expect, it } from 'vitest';
import { createSecretVault } from '@trunkline/db';
import {
  changeOfList,
  digestParts,
  keepPairs,
  mergePairs,
  mergeParts,
  type Pairs,
  type Parts,
  unknownPair,
} from './merge.ts';
import { createDigests } from './secrets.ts';

const there = () => true;
const one = (value: number | null): Pairs => (value === null ? {} : { 'user 2': value });
const mergedPairs = (last: number | null, source: number | null, here: number | null) => {
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
    expect(mergedPairs(last, source, here)).toEqual({ apply, kept, next });
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

const digests = createDigests(createSecretVault('x'.repeat(32)));
const partOf = (value: unknown, isSecret = false): Parts => ({ one: { source: value, here: value, isSecret } });
const merge = (last: unknown, source: unknown, here: unknown, isSecret = false) =>
  mergeParts(digests, digestParts(digests, partOf(last, isSecret)), partOf(source, isSecret), async () => ({
    one: here,
  }));

describe.each([false, true])('mergeParts, of a secret: %s', (isSecret) => {
  it.each([
    ['leaves what has changed nowhere', 'a', 'a', 'a', [], []],
    ['leaves what has changed here alone', 'a', 'a', 'b', [], []],
    ['brings what has changed in the source alone', 'a', 'b', 'a', ['one'], []],
    ['keeps what is here when both have changed', 'a', 'b', 'c', [], ['one']],
    ['has nothing to bring when both have the same', 'a', 'b', 'b', [], []],
    ['leaves a right that was revoked here', 3, 3, null, [], []],
    ['keeps a right as revoked that the source has changed', 3, 4, null, [], ['one']],
  ])('%s', async (_, last, source, here, apply, kept) => {
    const merged = await merge(last, source, here, isSecret);
    expect([[...merged.apply], merged.kept]).toEqual([apply, kept]);
  });

  it('compares with what was last brought, also after a conflict', async () => {
    const { digests: recorded } = await merge('a', 'b', 'c', isSecret);
    const again = await mergeParts(digests, recorded, partOf('b', isSecret), async () => ({ one: 'c' }));
    expect(again.kept).toEqual(['one']);
    const { digests: brought } = await merge('a', 'b', 'a', isSecret);
    const reads: string[] = [];
    const none = await mergeParts(digests, brought, partOf('b', isSecret), async () => (reads.push('here'), {}));
    expect([none.apply.size, none.kept, reads]).toEqual([0, [], []]);
  });
});

it('keeps what is here where nothing is known of the last import', async () => {
  const merged = await mergeParts(digests, {}, partOf('b'), async () => ({ one: 'a' }));
  expect(merged.kept).toEqual(['one']);
});

it('brings what was never set here, whatever was brought before', async () => {
  const part = (value: unknown) => ({ one: { source: value, here: value, fillsNull: true } });
  const mergeUnset = (here: unknown) =>
    mergeParts(digests, digestParts(digests, part(7)), part(8), async () => ({ one: here }));
  expect([...(await mergeUnset(null)).apply]).toEqual(['one']);
  expect((await mergeUnset(9)).kept).toEqual(['one']);
});

it('recognises secrets under a former secret of the instance, and without it keeps what is here', async () => {
  const before = digestParts(digests, partOf('a', true));
  const rotated = createDigests(createSecretVault('y'.repeat(32), ['x'.repeat(32)]));
  const lost = createDigests(createSecretVault('y'.repeat(32)));
  const mergeBy = (by: typeof digests) => mergeParts(by, before, partOf('b', true), async () => ({ one: 'a' }));
  expect([...(await mergeBy(rotated)).apply]).toEqual(['one']);
  expect((await mergeBy(lost)).kept).toEqual(['one']);
});

it('D10 a digest of a secret cannot be computed without the secret of the instance', () => {
  const other = createDigests(createSecretVault('y'.repeat(32)));
  expect(digests.of('https://ann:password@example.com', true)).not.toBe(
    other.of('https://ann:password@example.com', true),
  );
});

it('changeOfList tells what the source has added and removed', () => {
  expect(changeOfList(['a', 'b'], ['b', 'c'])).toEqual({ added: ['c'], removed: ['a'] });
  expect(changeOfList(undefined, ['a'])).toEqual({ added: ['a'], removed: [] });
});
