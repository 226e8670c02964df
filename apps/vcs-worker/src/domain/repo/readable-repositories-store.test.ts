import { expect, it } from 'vitest';
import { toTimestamp } from '@trunkline/contracts';
import { timestampOf } from './readable-repositories-store.ts';

it.each([
  ['2026-11-29 18:55:55', '2026-11-29T18:55:55'],
  ['2026-11-29 18:55:55.1', '2026-11-29T18:55:55.100'],
  ['2026-11-29 18:55:55.12', '2026-11-29T18:55:55.120'],
  ['2026-11-29 18:55:55.123456', '2026-11-29T18:55:55.123'],
  ['2026-11-29 18:55:55.000456', '2026-11-29T18:55:55'],
  ['1970-01-01 00:00:00.999999', '1970-01-01T00:00:00.999'],
])('the time stamp of `%s` is that of the date', (text, stamp) => {
  expect(timestampOf(text)).toBe(stamp);
  expect(toTimestamp(new Date(`${text}Z`))).toBe(stamp);
});
