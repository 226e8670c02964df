import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { timestamp, toChangesetDate, toTimestamp } from './parts.ts';

const dates = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('toTimestamp', () => {
  it('shows milliseconds only when they are not zero', () => {
    expect(toTimestamp(new Date('2026-01-02T03:04:05.000Z'))).toBe('2026-01-02T03:04:05');
    expect(toTimestamp(new Date('2026-01-02T03:04:05.010Z'))).toBe('2026-01-02T03:04:05.010');
    expect(toTimestamp(new Date('2026-01-02T03:04:05.100Z'))).toBe('2026-01-02T03:04:05.100');
  });

  it('writes every date in one form, from which the same date can be read', () => {
    fc.assert(
      fc.property(dates, (date) => {
        const shown = v.parse(timestamp, toTimestamp(date));
        expect(shown).not.toMatch(/\.000$/);
        expect(new Date(`${shown}Z`)).toEqual(date);
      }),
    );
  });
});

describe('toChangesetDate', () => {
  it('drops the fraction of the second', () => {
    fc.assert(
      fc.property(dates, (date) => {
        const shown = v.parse(timestamp, toChangesetDate(date));
        expect(shown).toHaveLength(19);
        expect(new Date(`${shown}Z`).getTime()).toBe(Math.floor(date.getTime() / 1_000) * 1_000);
      }),
    );
  });
});
