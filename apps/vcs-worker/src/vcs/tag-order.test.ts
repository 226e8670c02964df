import { expect, it } from 'vitest';
import { sortTags } from './tag-order.ts';

const sorted = (...tags: readonly (readonly [name: string, time: number])[]) =>
  sortTags(tags.map(([name, time]) => ({ name, time }))).map(({ name }) => name);
const atOnce = (...names: string[]) => sorted(...names.map((name) => [name, 1] as const));

it.each([
  ['v1.9', 'v1.10', 'v1.2'],
  ['1.0', '1.0.1', '1.0-rc2', '1.0rc10', '0.9', '1.0-beta', '1.0-alpha.2', '1.0-alpha.10'],
  ['v2.0.0-next.1', 'v2.0.0', 'v2.0.0-hotfix', 'v2.0.0+build', 'v1.99.0'],
  ['1.0.1c', '1.0.1', '1.0.2a1', '1.0.2', '1.0.1k'],
  ['release-1.2', 'v1.3', 'rel_1.10', '1.11'],
  ['2024-01-15', '2023-12-31', '2024-02-01'],
  ['v007', 'v8', 'v99999999999999999999', 'v100000000000000000000'],
])('versions of a series that begins with %s are in their order, in whatever order they come', (...names) => {
  const expected = {
    'v1.9': ['v1.10', 'v1.9', 'v1.2'],
    '1.0': ['1.0.1', '1.0', '1.0rc10', '1.0-rc2', '1.0-beta', '1.0-alpha.10', '1.0-alpha.2', '0.9'],
    'v2.0.0-next.1': ['v2.0.0+build', 'v2.0.0', 'v2.0.0-next.1', 'v2.0.0-hotfix', 'v1.99.0'],
    '1.0.1c': ['1.0.2', '1.0.2a1', '1.0.1k', '1.0.1c', '1.0.1'],
    'release-1.2': ['1.11', 'rel_1.10', 'v1.3', 'release-1.2'],
    '2024-01-15': ['2024-02-01', '2024-01-15', '2023-12-31'],
    v007: ['v100000000000000000000', 'v99999999999999999999', 'v8', 'v007'],
  }[names[0] ?? ''];
  expect(atOnce(...names)).toEqual(expected);
  expect(atOnce(...names.toReversed())).toEqual(expected);
});

it('versions keep their order whatever their dates are, and names without one stand among them by date', () => {
  expect(sorted(['v2.0', 20], ['v1.9.1', 30], ['v1.9', 10], ['snapshot', 25], ['first', 5])).toEqual([
    'v2.0',
    'v1.9.1',
    'snapshot',
    'v1.9',
    'first',
  ]);
});

it('versions of several series are not compared with each other', () => {
  const tags = [
    ['web/v3', 10],
    ['api/v1.2', 30],
    ['api/v1.10', 20],
    ['web/v4', 40],
  ] as const;
  expect(sorted(...tags)).toEqual(['web/v4', 'api/v1.10', 'api/v1.2', 'web/v3']);
});

it('names of many digits and slashes are sorted in no time', () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `${'1'.repeat(150)}.${index}/${'1._'.repeat(17)}x`);
  expect(new Set(atOnce(...names)).size).toBe(5_000);
});

it('E10 sorts as many hostile names as a repository may have, without comparing their parts at length', () => {
  const tags = Array.from({ length: 50_000 }, (_, index) => ({ name: `v1-${'a1'.repeat(110)}${index}`, time: 0 }));
  expect(sortTags(tags)).toHaveLength(tags.length);
  const series = Array.from({ length: 50_000 }, (_, index) => ({ name: `${'a1'.repeat(20)}${index}/v1`, time: 0 }));
  expect(sortTags(series)).toHaveLength(series.length);
});
