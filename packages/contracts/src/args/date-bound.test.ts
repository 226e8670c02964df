import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { toTimestamp } from '../records/timestamp.ts';
import { dateBound } from './date-bound.ts';

describe('dateBound', () => {
  it.each([
    ['2016-05-16', '2016-05-16T00:00:00.000Z', '2016-05-16T23:59:59.999Z'],
    ['2016-05-16T14:00:01', '2016-05-16T14:00:01.000Z', '2016-05-16T14:00:01.000Z'],
    ['2016-05-16T14:00:00.520', '2016-05-16T14:00:00.520Z', '2016-05-16T14:00:00.520Z'],
    ['2016-02-29', '2016-02-29T00:00:00.000Z', '2016-02-29T23:59:59.999Z'],
  ])('%j as a start is %s, as an end %s', (sent, start, end) => {
    expect(v.parse(dateBound('start'), sent).toISOString()).toBe(start);
    expect(v.parse(dateBound('end'), sent).toISOString()).toBe(end);
  });

  it.each(['', '2016', '2016-13-01', '2015-02-29', '2016-05-16T24:00:00', '2016-05-16T14:00:00Z', '16.5.2016', 0, {}])(
    'refuses %j',
    (sent) => expect(() => v.parse(dateBound('start'), sent)).toThrow('must be a date (2016-05-16) or a time stamp'),
  );

  it('parses a time stamp of a record to the date it was made from', () => {
    const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        expect(v.parse(dateBound('end'), toTimestamp(date))).toEqual(date);
      }),
    );
  });
});
