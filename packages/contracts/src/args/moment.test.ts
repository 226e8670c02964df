import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { toTimestamp } from '../records/timestamp.ts';
import { moment } from './moment.ts';

describe('moment', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:30', '2026-01-31T12:30:00.000Z'],
    ['2026-01-31T12:30:15', '2026-01-31T12:30:15.000Z'],
    ['2026-01-31T12:30:15.5', '2026-01-31T12:30:15.500Z'],
    ['2026-01-31T12:30:15.123Z', '2026-01-31T12:30:15.123Z'],
  ])('reads %j', (sent, iso) => {
    expect(v.parse(moment, sent).toISOString()).toBe(iso);
  });

  it.each(['', 'now', '2026', '2026-13-01', '2026-01-32', '2026-01-31T25:00', '2026-01-31 12:30', '+010000-01-01'])(
    'refuses %j',
    (sent) => {
      expect(() => v.parse(moment, sent)).toThrow('must be a date');
    },
  );

  it('reads back whatever records show', () => {
    const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        expect(v.parse(moment, toTimestamp(date))).toEqual(date);
      }),
    );
  });
});
