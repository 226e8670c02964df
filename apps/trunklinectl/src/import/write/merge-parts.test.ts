import { createSecretVault } from '@trunkline/db';
import { describe, expect, it } from 'vitest';
import { createDigests } from './digests.ts';
import { changeOfList, digestParts, mergeParts, type Parts } from './merge-parts.ts';

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
