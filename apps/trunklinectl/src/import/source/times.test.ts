import { describe, expect, it } from 'vitest';
import { parseLocalTime } from './times.ts';

describe('parseLocalTime', () => {
  it.each([
    ['2014-01-02 03:04:05.678901', 'Europe/Berlin', '2014-01-02T02:04:05.678Z'],
    ['2014-07-02 03:04:05', 'Europe/Berlin', '2014-07-02T01:04:05.000Z'],
    ['2014-07-02T03:04:05', 'America/New_York', '2014-07-02T07:04:05.000Z'],
    // The hours at which the clock is changed, one of which is there twice.
    ['2014-10-26 02:30:00', 'Europe/Berlin', '2014-10-26T00:30:00.000Z'],
    ['2014-10-26 03:30:00', 'Europe/Berlin', '2014-10-26T02:30:00.000Z'],
    ['2014-03-30 01:30:00', 'Europe/Berlin', '2014-03-30T00:30:00.000Z'],
    ['2014-03-30 03:30:00', 'Europe/Berlin', '2014-03-30T01:30:00.000Z'],
  ])('reads %s in %s', (text, zone, expected) => {
    expect(parseLocalTime(text, zone)?.toISOString()).toBe(expected);
  });

  it.each([[null], [''], ['yesterday'], ['2014-01-02']])('reads %j as none', (text) => {
    expect(parseLocalTime(text, 'UTC')).toBeNull();
  });
});
