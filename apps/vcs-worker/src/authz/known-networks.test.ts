import { expect, it } from 'vitest';
import { KnownNetworks } from './known-networks.ts';

it('keeps the last networks of each caller, and none of a caller who has none any more', () => {
  const known = new KnownNetworks();
  expect(known.of(1)).toEqual([]);
  known.note(1, ['10.0.0.0/8']);
  known.note(1, ['192.0.2.0/24']);
  expect(known.of(1)).toEqual(['192.0.2.0/24']);
  known.note(1, []);
  expect(known.of(1)).toEqual([]);
});

it('keeps those of a thousand callers, noted last, and no long list', () => {
  const known = new KnownNetworks();
  for (let caller = 0; caller < 1_001; caller += 1) known.note(caller, ['10.0.0.0/8']);
  expect([0, 1, 1_000].map((caller) => known.of(caller).length)).toEqual([0, 1, 1]);
  known.note(
    2_000,
    Array.from({ length: 33 }, (_, index) => `10.0.0.${index}`),
  );
  expect(known.of(2_000)).toEqual([]);
});
